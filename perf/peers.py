"""Other harnesses on the same model server, each installed into an environment of its own below the user's cache."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import textwrap
import time
import venv
from dataclasses import dataclass
from pathlib import Path

import platformdirs

SAMPLES, CONNECTIONS = 1000, 100
_INSTALLS = 400  # seconds an installation may take


@dataclass(frozen=True)
class Peer:
    """What a harness did: samples a second from its own start of the run, CPU of its process in ms a sample."""

    name: str
    version: str
    samples: int = SAMPLES
    per_second: float = 0.0
    cpu_ms: float = 0.0
    note: str = ""


_INSPECT = """
import json, sys, time
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import includes
base_url, samples, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
filler = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. " * 20
rows = [Sample(input=f"One of the special magic numbers for key-{i} is: {1000000 + i}. {filler}\\nWhat is the special magic "
               f"number for key-{i} mentioned in the provided text?", target=str(1000000 + i)) for i in range(samples)]
model = get_model("openai-api/quick/quick", base_url=base_url, api_key="none",
                  config=GenerateConfig(max_connections=connections, max_tokens=16))
started = time.time()
[log] = eval(Task(dataset=MemoryDataset(rows), scorer=includes()), model=model, log_dir=sys.argv[4], display="none",
             max_samples=connections)
assert log.status == "success", log.error
print(json.dumps({"seconds": time.time() - started}))
"""


def inspect_ai(base_url: str) -> Peer:
    """inspect-ai with its OpenAI-compatible provider."""
    return _run("inspect-ai", ["inspect-ai", "openai"], _INSPECT, base_url)


_LM_EVAL = """
import json, sys, time
from lm_eval.api.instance import Instance
from lm_eval.models.openai_completions import LocalChatCompletion
base_url, samples, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
filler = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. " * 20
model = LocalChatCompletion(base_url=base_url + "/chat/completions", model="quick", num_concurrent=connections,
                            tokenizer_backend=None, tokenized_requests=False, max_retries=3)
def text(i):
    asked = (f"One of the special magic numbers for key-{i} is: {1000000 + i}. {filler}\\nWhat is the special magic number "
             f"for key-{i} mentioned in the provided text?")
    return model.apply_chat_template([{"role": "user", "content": asked}])
requests = [Instance("generate_until", {}, (text(i), {"until": [], "max_gen_toks": 16}), i) for i in range(samples)]
started = time.time()
answers = model.generate_until(requests, disable_tqdm=True)
assert sum(str(1000000 + i) in answer for i, answer in enumerate(answers)) == samples
print(json.dumps({"seconds": time.time() - started}))
"""


def lm_eval(base_url: str) -> Peer:
    """lm-eval's request phase alone (it keeps answers in memory, none is durable)."""
    return _run("lm-eval", ["lm-eval[api]"], _LM_EVAL, base_url)


def _run(name: str, packages: list[str], program: str, base_url: str) -> Peer:
    try:
        python = _environment(name, packages)
    except subprocess.CalledProcessError as error:
        return Peer(name, "", note=f"not installed: {error.stderr.decode(errors='replace')[-200:]}")
    except subprocess.TimeoutExpired:
        return Peer(name, "", note=f"not installed within {_INSTALLS} s")
    version = subprocess.run(
        [python, "-c", f"import importlib.metadata as m; print(m.version({name!r}))"],
        capture_output=True,
        text=True,
        check=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        arguments = [base_url, str(SAMPLES), str(CONNECTIONS), folder]
        done = subprocess.run(
            [python, "-c", textwrap.dedent(program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            timeout=600,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return Peer(name, version.stdout.strip(), note=f"failed: {done.stderr[-300:]}")
    seconds = float(done.stdout.strip().splitlines()[-1].split(":")[1].rstrip("}"))
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    whole = time.perf_counter() - started
    return Peer(
        name, version.stdout.strip(), SAMPLES, SAMPLES / seconds, 1000 * used / SAMPLES, f"{whole:.0f} s in all"
    )


def _environment(name: str, packages: list[str]) -> Path:
    """An environment of its own, made once."""
    folder = Path(platformdirs.user_cache_dir("fathom")) / "peers" / name
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        print(f"installing {name} into {folder}", file=sys.stderr)
        command = [python, "-m", "pip", "install", "-q", *packages]
        subprocess.run(command, capture_output=True, check=True, timeout=_INSTALLS)
        (folder / "ready").touch()
    return python
