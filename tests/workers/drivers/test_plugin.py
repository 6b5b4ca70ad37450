"""Drivers by file, by module, by entry point; the example of the documentation."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from protocol.models import Driver as DriverSpec
from workers.drivers import plugin
from workers.drivers.base import complete, open_driver
from workers.drivers.local import LocalDriver
from workers.errors import DriverError

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "docker_driver.py"


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A container runtime that runs `exec -i [-e NAME]… [-w FOLDER] CONTAINER COMMAND…` here, and notes the container."""
    script = tmp_path / "runtime"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "words = sys.argv[3:]\n"
        "assert sys.argv[1:3] == ['exec', '-i'], sys.argv\n"
        "env, folder = {'PATH': os.environ['PATH']}, '.'\n"
        "while words[0].startswith('-'):\n"
        "    option, value = words.pop(0), words.pop(0)\n"
        "    if option == '-e': env[value] = os.environ[value]\n"
        "    else: folder = value\n"
        "env['CONTAINER'] = words.pop(0)\n"
        "os.chdir(folder)\n"
        "os.execvpe(words[0], words, env)\n"
    )
    script.chmod(0o755)
    return script


async def test_the_documented_example_runs_programs_in_its_container(runtime: Path, tmp_path: Path) -> None:
    spec = DriverSpec(kind=str(EXAMPLE), options={"container": "box", "runtime": str(runtime)})
    driver = open_driver(spec)
    script = 'echo "$CONTAINER $TOKEN $(pwd) $(cat)"; exit 3'
    done = await complete(driver, ["sh", "-c", script], stdin=b"in", env={"TOKEN": "t"}, cwd=str(tmp_path), deadline=60)
    assert (done.stdout.decode(), done.exit.status) == (f"box t {tmp_path} in\n", 3)
    await driver.aclose()


def test_the_documented_example_says_which_options_it_takes() -> None:
    with pytest.raises(DriverError, match="container and runtime"):
        open_driver(DriverSpec(kind=str(EXAMPLE), options={"box": "x"}))


def test_a_driver_can_be_named_by_module_and_attribute() -> None:
    assert isinstance(open_driver(DriverSpec(kind="workers.drivers.local:open_driver")), LocalDriver)


@pytest.mark.parametrize("value", ["workers.drivers.local", "workers.drivers.local:open_driver"])
def test_a_driver_can_be_an_entry_point(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    points = EntryPoints([EntryPoint("mine", value, plugin.GROUP)])
    monkeypatch.setattr(plugin, "entry_points", lambda group: points.select(group=group))
    assert isinstance(open_driver(DriverSpec(kind="mine")), LocalDriver)
    with pytest.raises(DriverError, match="there are local, ssh, mine"):
        open_driver(DriverSpec(kind="other"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no driver file"),
        ("def other(): ...", "no 'open_driver'"),
        ("open_driver = 3", "is no function"),
        ("import no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("def open_driver(spec): return object()", "lacks http, run, temporary_file, read_files, aclose"),
    ],
)
def test_a_file_that_is_no_driver_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "driver.py"
    if content is not None:
        path.write_text(content)
    with pytest.raises(DriverError, match=message) as caught:
        open_driver(DriverSpec(kind=str(path)))
    assert caught.value.permanent


@pytest.mark.parametrize("kind", ["no_such_package:open_driver", "workers.drivers.local:nothing"])
def test_a_module_that_is_no_driver_is_refused(kind: str) -> None:
    with pytest.raises(DriverError):
        open_driver(DriverSpec(kind=kind))
