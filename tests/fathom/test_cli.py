"""The command line as a whole: help, errors, JSON everywhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fathom.cli import COMMANDS, main
from fathom.cli.lazy import missing_part, one_line_errors
from tests.support.fathom_up import Home, new_home


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with new_home() as made:
        yield made


def commands(command: click.Command, path: str = "fathom") -> Iterator[tuple[str, click.Command]]:
    """All commands below one, groups aside unless they do something by themselves."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, f"{path} {name}"
            yield from commands(below, f"{path} {name}")
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield path, command


ALL = dict(commands(main))


def test_help_imports_nothing_heavy_so_that_it_answers_at_once() -> None:
    heavy = {"pydantic", "httpx", "rich", "numpy", "tokenizers", "fastapi", "sqlalchemy", "aiohttp"}
    code = "import sys, fathom.cli; fathom.cli.main(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Submit a job" in done.stdout
    assert heavy.isdisjoint(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("name", [n for section in COMMANDS.values() for n in section])
def test_a_line_of_the_help_leads_to_a_command_that_has_help_itself(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.help


@pytest.mark.parametrize("path", ALL)
def test_every_command_can_print_json(path: str) -> None:
    options = [flag for parameter in ALL[path].params for flag in parameter.opts]
    assert "--json" in options


@pytest.mark.parametrize("path", ALL)
def test_no_flag_of_a_command_is_there_twice(path: str) -> None:
    flags = [flag for parameter in ALL[path].params for flag in (*parameter.opts, *parameter.secondary_opts)]
    assert sorted(set(flags)) == sorted(flags)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["submitt"], "No such command 'submitt'"),
        (["submit", "rulers", "--model", "m"], "unknown benchmark 'rulers'; there are: ruler"),
        (["submit", "ruler"], "Missing option '--model'"),
        (["submit", "ruler", "--model", "m", "--profile", "tail"], "'tail' is not one of 'head', 'paper'"),
        (["submit", "ruler", "--model", "m", "--priority", "high"], "'high' is not a valid integer range"),
        (["jobs", "--server", "localhost:8765"], "server = 'localhost:8765': not an address"),
        (["model", "add", "m", "--api", "telepathy"], "'telepathy' is not one of"),
        (["worker", "--concurrency", "many"], "'many': must be auto or a whole number"),
        (["worker", "--server", "http://127.0.0.1:9"], "no token for http://127.0.0.1:9"),
        (["up", "--workers", "-1"], "-1 is not in the range 0<=x<=64"),
        (["extend", "j"], "nothing to extend"),
        (["assets", "add", "essays", "/no/such/file", "--kind", "corpus"], "'/no/such/file' does not exist"),
        (["assets", "install", "everything"], "'everything' is not one of 'ruler'"),
        (["clone", "j", "--option", "samples"], "'samples': must be KEY=VALUE"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_code_2(home: Home, arguments: list[str], says: str) -> None:
    done = home.fathom(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("fathom: ")
    assert done.err.count("\n") == 1
    assert says in done.err


@pytest.mark.parametrize("arguments", [["jobs"], ["health"], ["submit", "ruler", "--model", "m"], ["model", "list"]])
def test_a_service_that_does_not_answer_is_one_line_and_code_1(home: Home, arguments: list[str]) -> None:
    environment = {"FATHOM_SERVER": "http://127.0.0.1:9"}
    done = home.fathom(*arguments, environment=environment)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("fathom: no answer from the service at http://127.0.0.1:9 ")
    assert done.err.count("\n") == 1


def test_the_pieces_of_a_deployment_say_that_the_database_is_missing(home: Home) -> None:
    for command in ("serve", "migrate"):
        done = home.fathom(command)
        assert done.code == 1
        assert done.err.startswith("fathom: DATABASE_URL is not set")
    done = home.fathom("migrate", environment={"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"})
    assert done.code == 1
    assert done.err.startswith("fathom: the database of DATABASE_URL cannot be used: ")
    assert done.err.count("\n") == 1


def test_up_says_in_one_line_that_the_database_it_was_given_does_not_answer(home: Home) -> None:
    environment = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"}
    done = home.fathom("up", "--port", "0", "--data", home.folder / "data", environment=environment)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("fathom: ")
    assert done.err.count("\n") == 1


def test_a_smaller_installation_names_the_part_it_lacks() -> None:
    line = str(missing_part(ModuleNotFoundError("No module named 'fastapi'", name="fastapi")))
    assert line.endswith("run: pip install 'fathom-eval[service]'")
    line = str(missing_part(ModuleNotFoundError("No module named 'surprise'", name="surprise")))
    assert line.startswith("this installation is not whole: No module named 'surprise'")


def test_an_installation_of_the_worker_alone_explains_fathom_up(home: Home, tmp_path: Path) -> None:
    # The same interpreter, with the packages of the extra `service` hidden from it.
    hide = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in {'fastapi', 'sqlalchemy', 'asyncpg', 'alembic', 'uvicorn', 'psutil'}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    (tmp_path / "sitecustomize.py").write_text(hide)
    done = home.fathom("up", environment={"PYTHONPATH": str(tmp_path)})
    assert done.code == 1
    assert "this installation has no service part" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("error", [ValueError("odd"), ModuleNotFoundError("No module named 'x'", name="x")])
def test_a_fault_of_our_own_ends_as_a_line_and_no_stack_trace(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FATHOM_TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as ended, one_line_errors():
        raise error
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith("fathom: ")
    assert str(error) in said
    assert said.count("\n") == 1
    if isinstance(error, ValueError):
        monkeypatch.setenv("FATHOM_TRACEBACK", "1")
        with pytest.raises(ValueError, match="odd"), one_line_errors():
            raise error
