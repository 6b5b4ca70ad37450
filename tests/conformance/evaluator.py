"""The reference's own scorer and evaluate.py, out of the wheel `nvidia-long-context-eval==26.3`."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.conformance import packages

_WHEEL = "nvidia-long-context-eval==26.3"
_NEEDS = ("pandas==2.3.3", "pyyaml==6.0.3", "tqdm==4.67.1")
# evaluate.py asks NLTK for tables that it never uses, and would download them.
_NLTK = "class data:\n    @staticmethod\n    def find(name):\n        return name\n"


def reference_metrics() -> ModuleType:
    """The module with `string_match_all` and `string_match_part`; skips where the wheel can't be fetched."""
    path = _program() / "long_context_eval" / "eval" / "synthetic" / "constants.py"
    spec = importlib.util.spec_from_file_location("reference_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluate(folder: Path) -> dict[str, tuple[float, str]]:
    """Run evaluate.py over a folder of `<task>.jsonl`: score in percent and nulls by task."""
    program = _program()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(program), str(_libraries())])}
    script = program / "long_context_eval" / "eval" / "evaluate.py"
    command = [sys.executable, str(script), "--data_dir", str(folder), "--benchmark", "synthetic"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    summary = next(folder.glob("summary*.csv")).read_text().splitlines()
    tasks, scores, nulls = (line.split(",")[1:] for line in summary[1:])
    return {task: (float(score), null) for task, score, null in zip(tasks, scores, nulls, strict=True)}


def per_sample_scores(folder: Path) -> dict[str, list[float]]:
    """What evaluate.py wrote of each sample, in percent."""
    found: dict[str, list[float]] = json.loads((folder / "per_sample_scores.json").read_text())
    return found


def _program() -> Path:
    """The wheel's programs, unpacked once."""
    folder = packages.cache_folder() / "evaluator"
    if not (folder / "nltk.py").exists():
        with zipfile.ZipFile(packages.archive("pypi", _WHEEL)) as wheel:
            wheel.extractall(folder, [n for n in wheel.namelist() if n.endswith((".py", ".yaml"))])
        (folder / "nltk.py").write_text(_NLTK)
    return folder


def _libraries() -> Path:
    """What evaluate.py imports, installed once into a folder of its own for this Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = packages.cache_folder() / f"evaluator-libraries-{version}"
    if not (folder / "complete").exists():
        choice = ["--python-version", version, "--only-binary=:all:", "--target", str(folder), "--upgrade"]
        command = [*packages.pip(), "install", "-q", *choice, *_NEEDS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{', '.join(_NEEDS)} can't be fetched: {done.stderr.strip().splitlines()[-1:]}")
        (folder / "complete").touch()
    return folder
