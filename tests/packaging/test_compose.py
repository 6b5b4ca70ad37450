"""docker-compose.yml: valid, and its services' own commands work by hand against a plain Postgres."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from service.db.binaries import find_binaries
from tests.support.fathom_up import Home, new_home
from tests.support.waiting import until

ROOT = Path(__file__).parents[2]
PASSWORD, TOKEN = "5f0c7a9d2b", "fathom_test_5f0c7a9d2b"
VARIABLES = {"POSTGRES_PASSWORD": PASSWORD, "FATHOM_TOKEN": TOKEN}


def interpolated(value: Any, variables: Mapping[str, str]) -> Any:
    """Compose's own replacement of ${NAME}, ${NAME:-default} and ${NAME:?message} (Compose Specification, 12)."""
    if isinstance(value, dict):
        return {k: interpolated(v, variables) for k, v in value.items()}
    if isinstance(value, list):
        return [interpolated(v, variables) for v in value]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        name, operator, rest = match["name"], match["operator"], match["rest"]
        if variables.get(name):
            return variables[name]
        if operator == ":?":
            raise LookupError(f"{name}: {rest}")
        return rest or ""

    return re.sub(r"\$\{(?P<name>\w+)(?:(?P<operator>:-|:\?)(?P<rest>[^}]*))?\}", replace, value)


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return loaded


def test_it_follows_the_compose_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, ROOT / "docker-compose.yml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_env_example_names_every_variable_and_secrets_have_no_default(compose: dict[str, Any]) -> None:
    used = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    lines = [line for line in (ROOT / ".env.example").read_text().splitlines() if "=" in line and line[0] != "#"]
    example = dict(line.split("=", 1) for line in lines)
    assert used == set(example)
    assert example["FATHOM_TOKEN"] == example["POSTGRES_PASSWORD"] == ""
    for missing in VARIABLES:
        with pytest.raises(LookupError, match=missing):
            interpolated(compose, {k: v for k, v in VARIABLES.items() if k != missing})


def test_services_wait_for_what_they_need_and_all_of_them_are_watched(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert services["service"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert services["worker"]["depends_on"]["service"]["condition"] == "service_healthy"
    assert {"postgres", "service"} <= {name for name, s in services.items() if "healthcheck" in s}
    assert services["service"]["ports"] == ["${FATHOM_BIND:-127.0.0.1}:${FATHOM_PORT:-8765}:8765"]


@contextmanager
def plain_postgres(folder: Path) -> Iterator[int]:
    """A Postgres on a port of this machine with a password, as the image of the compose file makes one."""
    binaries = find_binaries()
    account = pwd.getpwnam("postgres" if _has_account("postgres") else "nobody") if os.geteuid() == 0 else None
    run_as: dict[str, Any] = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
    if account:
        os.chown(folder, account.pw_uid, account.pw_gid)
    (folder / "password").write_text(PASSWORD)
    (folder / "password").chmod(0o644)
    data, port = folder / "data", _free_port()
    initdb = [binaries.program("initdb"), "-D", data, "-U", "fathom", "--pwfile", folder / "password"]
    quiet: dict[str, Any] = {"cwd": "/", "stdout": subprocess.DEVNULL, **run_as}
    subprocess.run([*initdb, "--auth", "scram-sha-256", "--no-sync"], check=True, **quiet)
    command = [binaries.program("postgres"), "-D", data, "-p", str(port), "-k", folder, "-c", "fsync=off"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **quiet)
    try:
        yield port
    finally:
        process.terminate()
        process.wait(60)


def _has_account(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def _database(port: int) -> None:
    """The database that the image makes from POSTGRES_DB."""
    import asyncpg

    await until(lambda: _answers(port))
    url = f"postgresql://fathom:{PASSWORD}@127.0.0.1:{port}/postgres"
    for _ in range(100):
        try:
            connection = await asyncpg.connect(url)
            break
        except asyncpg.CannotConnectNowError:
            continue
    await connection.execute("create database fathom")
    await connection.close()


class Composed:
    """The compose file's services as processes: its commands and variables, with addresses of this machine."""

    def __init__(self, compose: dict[str, Any], home: Home, database_port: int) -> None:
        self.services = interpolated(compose, VARIABLES)["services"]
        self.home, self.port = home, str(_free_port())
        self.places = {
            "@postgres:5432": f"@127.0.0.1:{database_port}",
            "http://service:8765": f"http://127.0.0.1:{self.port}",
            "http://127.0.0.1:8765": f"http://127.0.0.1:{self.port}",
            "8765": self.port,
            "0.0.0.0": "127.0.0.1",
        }

    def here(self, text: str) -> str:
        if text in self.places:
            return self.places[text]
        return next((text.replace(k, v) for k, v in self.places.items() if k in text), text)

    def command(self, name: str) -> list[str]:
        return [self.here(part) for part in self.services[name]["command"]]

    def environment(self, name: str) -> dict[str, str]:
        return {k: self.here(v) for k, v in self.services[name]["environment"].items()}

    def health_check(self) -> list[str]:
        kind, program, *arguments = self.services["service"]["healthcheck"]["test"]
        assert (kind, program) == ("CMD", "fathom")
        return [self.here(part) for part in arguments]


async def test_its_commands_work_by_hand_against_a_plain_postgres(compose: dict[str, Any]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="fathom-pg-"))
    with new_home() as home, plain_postgres(folder) as database_port:
        await _database(database_port)
        composed = Composed(compose, home, database_port)
        early = home.fathom(*composed.command("service"), environment=composed.environment("service"))
        assert early.code == 1
        assert "migrat" in early.err  # the schema is missing, and the line says what to do
        assert home.fathom(*composed.health_check()).code == 1

        for _ in range(2):  # a second `up` of the same stack migrates again
            migrated = home.fathom(*composed.command("migrate"), environment=composed.environment("migrate"))
            assert (migrated.code, migrated.err) == (0, "")

        service = home.start(*composed.command("service"), environment=composed.environment("service"))
        worker = None
        try:
            await until(lambda: home.fathom(*composed.health_check()).code == 0, seconds=60)
            server = {"FATHOM_SERVER": f"http://127.0.0.1:{composed.port}"}
            assert home.fathom("jobs", environment=server).code == 2  # no token, no jobs
            worker = home.start(*composed.command("worker"), environment=composed.environment("worker"))
            inside = {**server, "FATHOM_TOKEN": TOKEN}
            await until(lambda: _workers(home, inside) == ["up"], seconds=60)
            for process in (worker, service):  # as `docker compose stop` does
                process.terminate()
                process.communicate(timeout=60)
                assert process.returncode == 0
        finally:
            for process in filter(None, (worker, service)):
                if process.poll() is None:
                    process.kill()
                    process.communicate()
    shutil.rmtree(folder, ignore_errors=True)


def _workers(home: Home, environment: Mapping[str, str]) -> list[str]:
    done = home.fathom("worker", "list", "--json", environment=environment)
    assert done.code == 0, done.err
    return [worker["state"] for worker in json.loads(done.out)]
