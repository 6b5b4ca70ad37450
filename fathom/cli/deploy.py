"""Workers elsewhere: `fathom worker deploy|list|logs|drain|stop`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from fathom.cli.common import connect, json_option, json_pairs, key_values, print_json, print_table, server_options
from fathom.cli.worker import CONCURRENCY
from fathom.errors import BadInput, Failed
from protocol.workers import Worker

T = TypeVar("T")

ssh_option = click.option(
    "--ssh-option",
    "ssh_options",
    multiple=True,
    metavar="KEY=JSON",
    callback=json_pairs,
    help="Option of the ssh driver, e.g. key='\"~/.ssh/gpu\"' (docs/drivers.md).",
)
name_option = click.option("--name", help="The worker's name there. Default: the host.")


def _limit(worker: Worker) -> str:
    """Calls that the worker has in flight at most: at each of its models as of its last heartbeat, and in all."""
    now = " + ".join(str(state.get("limit", "–")) for state in worker.models.values()) if worker.state != "gone" else ""
    return f"{now or '–'} / {worker.concurrency}"


@click.command()
@click.argument("host")
@name_option
@click.option("--concurrency", type=CONCURRENCY, default="auto", show_default=True, help="Calls in flight.")
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", callback=key_values, help="What it offers.")
@click.option(
    "--tunnel", is_flag=True, help="It reaches the service through this SSH connection while this command runs."
)
@click.option(
    "--wheel", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Default: made of this Fathom."
)
@click.option(
    "--wheels", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Install from these wheels alone."
)
@click.option("--environment", metavar="PATH", help="A virtual environment that is there already and holds Fathom.")
@click.option("--python", default="python3", show_default=True, help="Interpreter there, 3.11 or later.")
@ssh_option
@server_options
@json_option
def deploy(host: str, server: str | None, token: str | None, as_json: bool, **given: Any) -> int:
    """Install a worker on HOST ([user@]host[:port] or an alias of ~/.ssh/config) and start it, detached.

    It only calls out, to the service's address; with --tunnel it needs not even that: the connection of this command
    carries its calls, and the worker is stopped when the command ends (Ctrl-C).
    """
    from fathom.config import find_token, server_address
    from workers.deploy import Deployment

    address = server_address(server)
    found = find_token(address, token)
    if found is None:
        raise BadInput(f"no token for {address}: give --token or FATHOM_TOKEN, or save it once with `fathom login`")
    if not given["tunnel"] and urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1"):
        raise BadInput(
            f"server = {address!r}: on {host} that is {host} itself; give --server an address it can reach, or --tunnel"
        )
    with tempfile.TemporaryDirectory(prefix="fathom-") as folder:
        plan = Deployment(
            name=given["name"] or _default_name(host),
            server=address,
            token=found,
            wheel=given["wheel"] or (None if given["environment"] else _own_wheel(Path(folder))),
            wheels=given["wheels"],
            environment=given["environment"],
            python=given["python"],
            concurrency=given["concurrency"],
            labels=given["labels"],
        )
        _run(_deploy(host, given["ssh_options"], plan, tunnel=given["tunnel"], as_json=as_json))
    return 0


async def _deploy(host: str, options: dict[str, Any], plan: Any, *, tunnel: bool, as_json: bool) -> None:
    from workers import deploy as steps

    async with steps.machine(host, options) as driver:
        click.echo(f"installing on {host}", err=True)
        program = await steps.install(driver, plan)
        if tunnel:
            await _deploy_through_tunnel(driver, plan, program, as_json)
            return
        pid = await steps.start(driver, plan, program)
        _say(as_json, f"worker {plan.name} runs on {host} as process {pid}", worker=plan.name, host=host, process=pid)
        click.echo(f"its log: fathom worker logs {host} --name {plan.name}", err=True)


async def _deploy_through_tunnel(driver: Any, plan: Any, program: str, as_json: bool) -> None:
    """Hold the tunnel and show the log until Ctrl-C or the worker's end; then stop it, for it cannot go on alone."""
    import contextlib
    import signal
    from dataclasses import replace

    from workers import deploy as steps

    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    parts = urlsplit(plan.server)
    opened: asyncio.Future[int] = loop.create_future()
    port = parts.port or (443 if parts.scheme == "https" else 80)
    tunnel = asyncio.create_task(steps.hold_tunnel(driver, parts.hostname or "", port, opened))
    tunnel.add_done_callback(lambda _: opened.done() or opened.cancel())
    try:
        remote_port = await opened
    except asyncio.CancelledError:
        await tunnel  # raises what went wrong
        raise
    through = replace(plan, server=f"{parts.scheme}://127.0.0.1:{remote_port}")
    pid = await steps.start(driver, through, program)
    text = f"worker {plan.name} runs as process {pid}, through a tunnel that this command holds; Ctrl-C stops both"
    _say(as_json, text, worker=plan.name, process=pid)
    try:
        waiting = asyncio.create_task(ended.wait())
        gone = asyncio.create_task(_until_gone(driver, plan.name))
        await asyncio.wait({waiting, gone, tunnel}, return_when=asyncio.FIRST_COMPLETED)
        for task in (waiting, gone):
            task.cancel()
    finally:
        said = await steps.stop(driver, plan.name)
        tunnel.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tunnel
    _say(as_json, f"worker {plan.name}: {said}", worker=plan.name, ended=said)


async def _until_gone(driver: Any, name: str) -> None:
    from workers import deploy as steps
    from workers.errors import DriverError

    running = True
    while running:
        await asyncio.sleep(5)
        try:
            running = await steps.is_running(driver, name)
        except DriverError:
            continue  # the connection broke; the tunnel is opened again


@click.command(name="list")
@server_options
@json_option
def list_workers(server: str | None, token: str | None, as_json: bool) -> int:
    """List the workers the service knows."""
    with connect(server, token) as client:
        workers = client.workers()
    if as_json:
        print_json(workers)
        return 0
    rows = [
        (w.id, w.name, w.state, w.in_flight, w.done, _limit(w), _labels(w.labels), w.host, w.version) for w in workers
    ]
    columns = ("id", "name", "state", "in flight", "done", "limit now / most", "labels", "host", "version")
    print_table(columns, rows, right=("id", "in flight", "done", "limit now / most"), empty="no workers")
    return 0


@click.command()
@click.argument("host")
@name_option
@click.option("--lines", type=click.IntRange(min=0), default=50, show_default=True)
@click.option("--follow", "-f", is_flag=True, help="Go on showing what is added.")
@ssh_option
@json_option
def logs(host: str, name: str | None, lines: int, follow: bool, ssh_options: dict[str, Any], as_json: bool) -> int:
    """Show the log of a worker that was deployed on HOST. --json prints each line as a JSON text."""
    _run(_logs(host, name or _default_name(host), lines, follow, ssh_options, as_json))
    return 0


async def _logs(host: str, name: str, lines: int, follow: bool, options: dict[str, Any], as_json: bool) -> None:
    from workers import deploy as steps

    rest = ""
    async with steps.machine(host, options) as driver:
        async for chunk in steps.log_lines(driver, name, lines, follow=follow):
            text = chunk.decode(errors="replace")
            if as_json:
                *whole, rest = (rest + text).split("\n")
                for line in whole:
                    print_json(line)
            else:
                sys.stdout.write(text)
            sys.stdout.flush()
    if rest:
        print_json(rest)


@click.command()
@click.argument("worker")
@server_options
@json_option
def drain(worker: str, server: str | None, token: str | None, as_json: bool) -> int:
    """Let a worker (its id or name) finish what it has in flight and leave."""
    with connect(server, token) as client:
        known = [w for w in client.workers() if w.state != "gone"]
        found = [w for w in known if worker in (str(w.id), w.name)]
        if not found:
            names = ", ".join(f"{w.id} ({w.name})" for w in known) or "none"
            raise BadInput(f"worker = {worker!r}: no such worker; there are {names}")
        for one in found:
            client.drain_worker(one.id)
            _say(as_json, f"worker {one.id} ({one.name}) drains", worker=one.id, name=one.name)
    return 0


@click.command()
@click.argument("host")
@name_option
@click.option("--seconds", type=click.FloatRange(min=0), default=60, show_default=True, help="Until it is killed.")
@ssh_option
@json_option
def stop(host: str, name: str | None, seconds: float, ssh_options: dict[str, Any], as_json: bool) -> int:
    """Stop a worker that was deployed on HOST: it hands back what it has not begun, and finishes the rest."""
    named = name or _default_name(host)
    said = _run(_stop(host, named, seconds, ssh_options))
    _say(as_json, f"worker {named}: {said}", worker=named, ended=said)
    return 0


async def _stop(host: str, name: str, seconds: float, options: dict[str, Any]) -> str:
    from workers import deploy as steps

    async with steps.machine(host, options) as driver:
        return await steps.stop(driver, name, seconds)


def _say(as_json: bool, text: str, **fields: Any) -> None:
    if as_json:
        print_json(fields)
    else:
        click.echo(text)


def _default_name(host: str) -> str:
    return host.rpartition("@")[2].partition(":")[0].strip("[]") or host


def _own_wheel(folder: Path) -> Path:
    from workers.errors import WorkerError
    from workers.packing import pack_ours

    try:
        return pack_ours(folder)
    except WorkerError as error:
        raise Failed(str(error)) from error


def _labels(labels: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in labels.items())


def _run(steps: Coroutine[Any, Any, T]) -> T:
    """Run steps on another machine; what goes wrong there becomes one line."""
    from workers.errors import WorkerError

    try:
        return asyncio.run(steps)
    except WorkerError as error:
        raise Failed(str(error)) from error
