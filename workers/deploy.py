"""Installs and starts a worker on another machine over SSH, and looks after it there.

Everything of one worker stands in `~/.fathom/workers/<name>` on that machine: its settings, token (mode 600), process
number and log. Virtual environments are shared by workers of the same wheel: `~/.fathom/environments/<hash>`.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from protocol.models import Driver as DriverSpec
from workers.drivers.base import complete
from workers.drivers.ssh import SshDriver, open_driver
from workers.errors import DriverError, WorkerError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_START_SECONDS = 60.0


class DeployError(WorkerError):
    """A step on the other machine did not succeed; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What to run there. `environment` names a virtual environment that is there already; else one is made of `wheel`
    and, with `wheels`, of that folder's wheels alone."""

    name: str
    server: str
    token: str = field(repr=False)
    wheel: Path | None = None
    wheels: Path | None = None
    environment: str | None = None
    python: str = "python3"
    concurrency: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name(self.name)


def check_name(name: str) -> str:
    """A worker's name, which names a folder. Raises DeployError."""
    if not _NAME.fullmatch(name):
        raise DeployError(f"{name!r} is no name for a worker: letters, digits and . _ @ - only, at most 100")
    return name


# A process works in its worker's folder; a dead one that nobody has waited for, and a stranger that got its number, do not.
_ALIVE = """alive() {
          if [ -d /proc/self ]; then [ "/proc/$1/cwd" -ef "$2" ]; else kill -0 "$1" 2>/dev/null; fi
        }"""


@asynccontextmanager
async def machine(host: str, options: Mapping[str, object]) -> AsyncIterator[SshDriver]:
    """The machine behind SSH, closed at the end. `options` are those of the driver `ssh`."""
    driver = open_driver(DriverSpec.model_validate({"kind": "ssh", "host": host, "options": dict(options)}))
    assert isinstance(driver, SshDriver)
    try:
        yield driver
    finally:
        await driver.aclose()


async def install(driver: SshDriver, plan: Deployment) -> str:
    """Make the environment there, unless it is there; returns the path of its `fathom` command."""
    if plan.environment:
        return await _checked(driver, f"{plan.environment}/bin/fathom")
    if plan.wheel is None:
        raise DeployError("there is no wheel to install")
    content = await asyncio.to_thread(plan.wheel.read_bytes)
    home = (await run(driver, 'printf %s "$HOME"')).strip()
    folder = f"{home}/.fathom/environments/{_fingerprint(content, plan)}"
    if await run(driver, f"[ -e {folder}/ready ] && echo yes; true"):
        return f"{folder}/bin/fathom"
    await run(
        driver, f"umask 077; rm -rf {folder}; mkdir -p {folder}/wheels && {shlex.quote(plan.python)} -m venv {folder}"
    )
    await _put(driver, content, f"{folder}/wheels/{plan.wheel.name}")
    offline = ""
    if plan.wheels is not None:
        for file in sorted(plan.wheels.glob("*.whl")):
            await _put(driver, await asyncio.to_thread(file.read_bytes), f"{folder}/wheels/{file.name}")
        offline = f"--no-index --find-links {folder}/wheels"
    wanted = shlex.quote(f"{folder}/wheels/{plan.wheel.name}[worker]")
    pip = f"{folder}/bin/python -m pip install --quiet --disable-pip-version-check --no-input"
    await run(driver, f"{pip} {offline} {wanted} && rm -rf {folder}/wheels && touch {folder}/ready")
    return f"{folder}/bin/fathom"


async def start(driver: SshDriver, plan: Deployment, program: str) -> int:
    """Start the worker, detached; returns its process number. A worker of that name that runs is left alone: an error."""
    folder = _folder(plan.name)
    words = [program, "worker", "--server", plan.server, "--name", plan.name]
    words += ["--concurrency", str(plan.concurrency or "auto")]
    words += [word for key, value in plan.labels.items() for word in ("--label", f"{key}={value}")]
    command = " ".join(map(shlex.quote, words))
    script = f"""
        umask 077; mkdir -p {folder} && cd {folder} || exit 1
        {_ALIVE}
        if [ -s pid ] && alive "$(cat pid)" {folder}; then
          echo "it runs already, as process $(cat pid); stop it first" >&2; exit 1
        fi
        rm -f pid; cat >token
        cat >run <<'END'
cd "$(dirname "$0")" || exit 1
export FATHOM_TOKEN_FILE="$PWD/token"
echo $$ >pid.part && mv pid.part pid
exec {command} --data "$PWD/data"
END
        env -u FATHOM_CALL setsid sh "$PWD/run" >>log 2>&1 </dev/null &
        while [ ! -s pid ]; do sleep 0.1; done
        cat pid
    """
    return int(await run(driver, script, stdin=plan.token.encode(), deadline=_START_SECONDS))


async def is_running(driver: SshDriver, name: str) -> bool:
    """Whether the worker's process is there."""
    folder = _folder(check_name(name))
    script = f'{_ALIVE}\n[ -s {folder}/pid ] && alive "$(cat {folder}/pid)" {folder} && echo yes; true'
    return bool(await run(driver, script))


async def stop(driver: SshDriver, name: str, seconds: float = 60.0) -> str:
    """SIGTERM, so that it drains, then SIGKILL after `seconds`; says which was needed."""
    folder = _folder(check_name(name))
    script = f"""
        [ -s {folder}/pid ] || {{ echo 'there is no worker of that name' >&2; exit 1; }}
        {_ALIVE}
        pid=$(cat {folder}/pid)
        alive "$pid" {folder} || {{ rm -f {folder}/pid; echo 'was not running'; exit 0; }}
        kill -TERM "$pid" 2>/dev/null; tries=0
        while [ $tries -lt {int(seconds * 10)} ]; do
          alive "$pid" {folder} || {{ rm -f {folder}/pid; echo stopped; exit 0; }}
          sleep 0.1; tries=$((tries + 1))
        done
        kill -KILL "$pid"; rm -f {folder}/pid; echo killed
    """
    return (await run(driver, script)).strip()


async def log_lines(driver: SshDriver, name: str, lines: int, *, follow: bool) -> AsyncIterator[bytes]:
    """The end of the worker's log, and with `follow` what is added to it, by chunk."""
    path = f"{_folder(check_name(name))}/log"
    script = f'[ -e {path} ] || {{ echo "there is no log of a worker of that name" >&2; exit 1; }}\n'
    script += f"exec tail -n {int(lines)} {'-F' if follow else ''} {path}"
    async with driver.run(["sh", "-c", script]) as process:
        said = bytearray()
        async for stream, chunk in process.output():
            if stream == "stdout":
                yield chunk
            else:
                said += chunk
        if not (await process.wait()).ok:
            raise DeployError(said.decode(errors="replace").strip())


async def hold_tunnel(driver: SshDriver, host: str, port: int, opened: asyncio.Future[int]) -> None:
    """Keep a reverse forward to `host:port`, as this machine sees it, until cancelled: opened again when it breaks, on
    the same port of the other machine's loopback. `opened` gets that port."""
    remote = 0
    while True:
        link = await driver.links.for_channel()
        try:
            listener = await link.connection.forward_remote_port("127.0.0.1", remote, host, port)
        except (asyncssh.Error, OSError) as error:
            if not remote:
                raise DeployError(f"{driver.links.host.label} forwards no port: {error}") from error
            await asyncio.sleep(1)  # the port is still held by the connection that broke
            continue
        finally:
            link.channels -= 1
        remote = listener.get_port()
        if not opened.done():
            opened.set_result(remote)
        await link.connection.wait_closed()


async def run(driver: SshDriver, script: str, *, stdin: bytes = b"", deadline: float | None = None) -> str:
    """Run a shell script there; its stdout. Raises DeployError with what it said when it fails."""
    try:
        done = await complete(driver, ["sh", "-c", script], stdin=stdin, deadline=deadline)
    except TimeoutError as error:
        raise DeployError(f"{driver.links.host.label} did not answer within {deadline:.0f} s") from error
    if not done.exit.ok:
        said = done.stderr.decode(errors="replace").strip() or done.stdout.decode(errors="replace").strip()
        raise DeployError(f"{driver.links.host.label}: {said[-2000:] or done.exit}")
    return done.stdout.decode(errors="replace")


def _folder(name: str) -> str:
    return f'"$HOME"/.fathom/workers/{shlex.quote(name)}'


def _fingerprint(content: bytes, plan: Deployment) -> str:
    return hashlib.sha256(plan.python.encode() + b"\0" + content).hexdigest()[:16]


async def _put(driver: SshDriver, content: bytes, path: str) -> None:
    await run(driver, f"umask 077; cat >{shlex.quote(path)}", stdin=content)


async def _checked(driver: SshDriver, program: str) -> str:
    try:
        await run(driver, f"{shlex.quote(program)} --version", deadline=_START_SECONDS)
    except (DriverError, DeployError) as error:
        raise DeployError(f"{program} does not run there: {error}") from error
    return program
