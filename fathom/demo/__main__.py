"""Starts everything on this machine with a real small model, runs a RULER job and shows its table.

python -m fathom.demo [--once] [--samples N] [--lengths 1024,2048] [--tasks …] [--data FOLDER] [--port N]
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import click
import httpx

from fathom.children import Program
from fathom.cli.lazy import one_line_errors
from fathom.cli.options import lengths_of
from fathom.cli.watch import Display, conclude
from fathom.client import Client
from fathom.config import DEFAULT_PORT, data_folder
from fathom.demo import model as demo_model
from fathom.errors import Failed
from fathom.local import Plan, Running, running
from fathom.logs import start_logging
from protocol.jobs import JobDetail
from protocol.models import ApiKind, Generation, Limits, ModelRequest

JOB = "demo"
SLOTS, CONTEXT = 2, 16384
TASKS = "niah_single_1,niah_single_2"


@click.command()
@click.option("--once", is_flag=True, help="End after the job instead of staying up; exit 1 when nothing was scored.")
@click.option("--tasks", default=TASKS, show_default=True)
@click.option("--lengths", default="1024,2048,4096", show_default=True, help="Tokens; the model's window is 8192.")
@click.option("--samples", type=click.IntRange(min=1), default=3, show_default=True, help="A task and length.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Default: `demo` in Fathom's data folder."
)
@click.option("--port", type=int, help=f"Default: {DEFAULT_PORT} if it is free, else any.")
def main(once: bool, tasks: str, lengths: str, samples: int, data: Path | None, port: int | None) -> None:
    """Evaluate a real small language model on this machine, from nothing to a table."""
    options = {"tasks": tasks.split(","), "lengths": lengths_of(lengths), "samples": samples}
    folder = (data or data_folder() / "demo").absolute()
    plan = Plan(folder, port=_port(port), workers=0)
    start_logging("warning")
    sys.exit(asyncio.run(_demo(plan, dict(options), once=once)))


async def _demo(plan: Plan, options: dict[str, object], *, once: bool) -> int:
    """Run until the job is done (`once`) or Ctrl-C; returns the exit code."""
    demo_model.shipped_model()
    _say(f"starting database, service and worker in {plan.data}")
    async with running(plan) as now:
        work = asyncio.create_task(_evaluate(now, options), name="demo")
        stopped = asyncio.create_task(now.interrupted.wait())
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            _say("interrupted; stopping what was started")
            return 130
        problem = work.exception()
        if isinstance(problem, BaseException) and (once or not isinstance(problem, Failed)):
            raise problem
        if once:
            _say(f"\ndone; the results stay in {plan.data}. Without --once, the dashboard stays up and shows them")
        else:
            _say(f"\n{problem or 'done'}. Dashboard: {now.dashboard}")
            _say("It stays up until Ctrl-C, which stops everything that was started here. In another terminal:")
            _say(f"  {_command()} --help        (FATHOM_SERVER={now.address}; the token is saved for you)")
            await stopped
            _say("stopping")
        stopped.cancel()
        return 0


async def _evaluate(now: Running, options: dict[str, object]) -> None:
    """Start the model, register what the job needs, submit it and show it to its end."""
    async with Client(now.address, now.token) as client:
        for old in await client.jobs(state="running"):
            if old.name == JOB:
                await client.cancel(old.id)  # an earlier demo that was interrupted
        model_address = await _start_model(now)
        await asyncio.to_thread(_register, now, model_address)
        now.add_worker(1)
        await _probe(client, model_address)
        job = await client.submit("ruler", demo_model.NAME, options, name=JOB)  # type: ignore[arg-type]
        _say(f"job {job.id}: {job.counts.planned} samples; dashboard {now.dashboard}")
        last: JobDetail | None = None
        with Display() as display:
            async for last in client.watch(job.id, on_gap=display.gap):
                display.show(last)
    assert last is not None
    conclude(last)
    if last.counts.scored == 0:
        raise Failed(f"job {last.id}: nothing was scored")


async def _start_model(now: Running) -> str:
    """Start llama.cpp's server on the demo model as a child; returns its address once it answers."""
    folder = now.plan.data / "model"
    if not demo_model.fast_path(folder).exists():
        _say("writing SmolLM2-135M-Instruct in a form that CPUs read faster (once, some seconds)")
    path = await asyncio.to_thread(demo_model.fast_model, folder)
    address = f"http://127.0.0.1:{_free_port()}"
    arguments = [
        "-m",
        "fathom.demo.llm_server",
        str(path),
        "--alias",
        demo_model.NAME,
        "--port",
        address.rsplit(":", 1)[1],
    ]
    arguments += ["--parallel", str(SLOTS), "--context", str(CONTEXT)]
    log = now.plan.data / "logs" / "model.log"
    now.children.start(Program("model server", arguments, {}, log))
    async with httpx.AsyncClient() as http:
        for _ in range(1200):
            if await _healthy(http, address):
                return address
            await asyncio.sleep(0.1)
    raise Failed(f"the model server did not start within two minutes; see {log}")


async def _healthy(http: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await http.get(f"{address}/health", timeout=5)).is_success
    except httpx.HTTPError:
        return False


def _register(now: Running, model_address: str) -> None:
    """Register the model with the tokenizer out of its own file, and RULER's corpora."""
    from fathom.installing import install
    from fathom.sync import SyncClient
    from fathom.tokenizer_sources import reference

    with SyncClient(now.address, now.token) as client:
        tokenizer = reference(client, str(demo_model.shipped_model()), demo_model.NAME)
        request = ModelRequest(
            name=demo_model.NAME,
            api=ApiKind.OPENAI_CHAT,
            base_url=f"{model_address}/v1",
            tokenizer=tokenizer,
            generation=Generation(temperature=0.0),
            limits=Limits(max_concurrency=SLOTS),
        )
        known = {model.name for model in client.models()}
        client.add_model(request, replace=request.name in known)
        install(client, "ruler", say=_say)


async def _probe(client: Client, model_address: str) -> None:
    """Have the worker look at the model; raises Failed when it cannot be used."""
    while not any(worker.state == "up" for worker in await client.workers()):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.2)
    found = await client.probe_model(demo_model.NAME)
    if not found.ok:
        raise Failed(f"the model cannot be used: {found.problem}")
    window = found.findings.get("context_window")
    _say(f"model {demo_model.NAME} at {model_address}, window {window.value if window else 'unknown'} tokens")


def _port(given: int | None) -> int:
    if given is not None:
        return given
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            return 0
    return DEFAULT_PORT


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _command() -> str:
    """How the `fathom` of this environment is called from here."""
    path = Path(sys.executable).parent / "fathom"
    return os.path.relpath(path) if path.exists() else "fathom"


def _say(line: str) -> None:
    click.echo(line)


if __name__ == "__main__":
    with one_line_errors():
        main(standalone_mode=False)
