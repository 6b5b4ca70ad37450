"""One measurement of `perf.generation`, in a process that loads nothing but what builds samples.

python -m perf.one_generation ORDER, where ORDER is JSON: task, length, samples, stream, tokenizer, files, hashes, cache,
and how often the last prompt is counted whole.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.base import Cell, Resources
from benchmarks.ruler.options import RulerOptions
from benchmarks.ruler.sources import open_source
from benchmarks.tokenizers import load_tokenizer


def measure(order: dict[str, Any]) -> dict[str, Any]:
    """CPU seconds until the first sample is there, milliseconds a sample, MB, and milliseconds of a full tokenisation."""
    task, length, count = order["task"], order["length"], order["samples"]
    counter = load_tokenizer(Path(order["tokenizer"]))
    files = {role: Path(path) for role, path in order["files"].items()}
    resources = Resources(counter=counter, files=files, sha256=order["hashes"], cache=Path(order["cache"]))
    source = open_source(RulerOptions(tasks=[task], lengths=[length], stream=order["stream"]), resources)
    cell = Cell(task, length, count)
    source.check(cell)
    source.sample(cell, 0)
    started = time.process_time()
    for index in range(count):
        sample = source.sample(cell, index)
    each = (time.process_time() - started) / count
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    begun = time.process_time()
    tokens = [counter.count(sample.prompt.text) for _ in range(order["counts"])]
    tokenisation = (time.process_time() - begun) / order["counts"]
    assert set(tokens) == {sample.tokens}, f"{sample.tokens} said, {tokens} counted"
    return {
        "start": round(started, 3), "each_ms": round(each * 1000, 3), "memory_mb": round(memory, 1),
        "tokenisation_ms": round(tokenisation * 1000, 2), "tokens": sample.tokens,
        "characters": len(sample.prompt.text),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
