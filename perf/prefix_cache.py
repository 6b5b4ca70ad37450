"""What the order of samples is worth: `python -m perf.prefix_cache` (needs the extra `demo`).

Samples that share a long text are sent to the real llama.cpp server, once in order (all questions on one text, then the
next text) and once shuffled. In order, the server reuses what it has read; its host cache is off here, as a GPU's cache
is small beside long contexts. The wall-time ratio is printed. Fathom hands samples out in order.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

from workers.drivers.local import LocalDriver

SENTENCES = ("The grass is green.", "The sky is blue.", "The sun is yellow.", "Here we go.", "There and back again.")


def serve(model: Path) -> None:
    """Run llama.cpp with one slot and no host cache until killed."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import xllamacpp

    from fathom.demo.llm_server import parameters

    settings = parameters(model, "smollm2", "127.0.0.1", 0, 1, 4096, os.cpu_count() or 2)
    settings.cache_ram_mib = 0
    server = xllamacpp.Server(settings)
    print(f"READY {server.listening_address}", flush=True)
    threading.Event().wait()


def prompts(texts: int, questions: int, sentences: int) -> list[str]:
    """Questions on texts, text by text."""
    picks = [random.Random(seed) for seed in range(texts)]
    bodies = [f"Text {seed}. " + " ".join(pick.choices(SENTENCES, k=sentences)) for seed, pick in enumerate(picks)]
    return [f"{body}\n\nQuestion {number}: what colour is the sky?" for body in bodies for number in range(questions)]


async def ask_all(http: httpx.AsyncClient, url: str, texts: list[str]) -> tuple[float, int, int]:
    """Seconds, prompt tokens and cached tokens of asking one after the other."""
    started, read, cached = time.perf_counter(), 0, 0
    for text in texts:
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": 1, "temperature": 0}
        reply = (await http.post(url, json=body, timeout=600)).raise_for_status().json()
        read += reply["usage"]["prompt_tokens"]
        cached += reply["usage"]["prompt_tokens_details"]["cached_tokens"]
    return time.perf_counter() - started, read, cached


async def compare(address: str, arguments: argparse.Namespace) -> float:
    in_order = prompts(arguments.texts, arguments.questions, arguments.sentences)
    shuffled = random.Random(7).sample(in_order, len(in_order))
    seconds = {}
    async with LocalDriver().http() as http:
        url = f"{address}/v1/chat/completions"
        await ask_all(http, url, ["warm up"])
        for name, texts in (("in order", in_order), ("shuffled", shuffled)):
            seconds[name], read, cached = await ask_all(http, url, texts)
            print(f"  {name:9} {seconds[name]:6.1f} s, {read} prompt tokens, {cached} of them from the cache")
    return seconds["shuffled"] / seconds["in order"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Samples in order against shuffled, on the real llama.cpp.")
    parser.add_argument("--texts", type=int, default=4)
    parser.add_argument("--questions", type=int, default=4, help="questions a text (4)")
    parser.add_argument("--sentences", type=int, default=60, help="sentences a text, about 5 tokens each (60)")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve)
    from fathom.demo.model import shipped_model

    command = [sys.executable, "-m", "perf.prefix_cache", "--serve", str(shipped_model())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        address = next(line.split()[1] for line in process.stdout if line.startswith("READY "))
        print(f"{arguments.texts} texts, {arguments.questions} questions each, llama.cpp with SmolLM2 on CPU:")
        ratio = asyncio.run(compare(address, arguments))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    print(f"  shuffled / in order = {ratio:.2f} times the wall time")
    if arguments.json:
        print(json.dumps({"shuffled_of_in_order": round(ratio, 3)}))
    return 0 if ratio > 1 else 1


if __name__ == "__main__":
    sys.exit(main())
