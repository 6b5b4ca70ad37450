"""A wheel made of what is installed: pip takes it, and it holds what was installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from workers.packing import ROOMS, pack, pack_ours

ROOT = Path(__file__).parents[2]


def install(wheel: Path, target: Path) -> None:
    command = [
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-compile",
        "--target",
        str(target),
        str(wheel),
    ]
    pythons = (sys.executable, getattr(sys, "_base_executable", sys.executable))
    python = next((python for python in pythons if _has_pip(python)), None)
    if python is None:
        pytest.skip("no Python with pip is here")
    subprocess.run([python, "-m", *command], check=True)


def _has_pip(python: str) -> bool:
    return subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def test_our_own_wheel_holds_every_room_and_its_commands(tmp_path: Path) -> None:
    wheel = pack_ours(tmp_path / "wheels")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == set(ROOMS)
    install(wheel, tmp_path / "site")
    for name in ("benchmarks/ruler/tasks.py", "workers/drivers/ssh.py", "benchmarks/ruler/languages/da.toml"):
        assert (tmp_path / "site" / name).read_bytes() == (ROOT / name).read_bytes()
    assert (tmp_path / "site" / "bin" / "fathom").exists()
    program = "import fathom, workers, sys; print(fathom.__file__)"
    shown = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.startswith(str(tmp_path))


def test_an_installed_package_with_compiled_parts_is_packed_whole(tmp_path: Path) -> None:
    found = distribution("orjson")
    wheel = pack(found, tmp_path / "wheels")
    assert wheel.name.startswith(f"orjson-{found.version}-cp3")
    install(wheel, tmp_path / "site")
    installed = {str(f) for f in found.files or [] if str(f).startswith("orjson/") and not str(f).endswith(".pyc")}
    assert installed
    for name in installed:
        assert (tmp_path / "site" / name).read_bytes() == (Path(str(found.locate_file(name)))).read_bytes()


def test_the_same_installation_gives_the_same_wheel(tmp_path: Path) -> None:
    assert pack_ours(tmp_path / "a").read_bytes() == pack_ours(tmp_path / "b").read_bytes()
