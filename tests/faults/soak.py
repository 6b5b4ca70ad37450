"""The same faults for hours: jobs run one after another while processes die, freeze and lose their connections.

python -m tests.faults.soak [--minutes 60] [--seed N]

Every job is checked as the tests check theirs. Ends with 1 at the first job that is not whole, naming its seed.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.faults.conftest import CONCURRENCY, MOST_SAMPLES
from tests.faults.test_kills import HELD, kill_together
from tests.faults.test_model_servers import PATIENT, misfortunes, unlucky
from tests.support.audit import Fact, Key, check_whole, facts
from tests.support.cluster import LEASE_SECONDS, Service, Workers, add_model, eventually, finished, half_blind, submit
from tests.support.fathom_up import new_home
from tests.support.fault_proxy import FaultProxy
from tests.support.model_server import ModelServer
from tests.support.processes import FathomProcess, quietly
from tests.support.small_tokenizer import count
from tests.support.waiting import until

WORKERS = 3
OUTAGE = WORKERS * HELD
"""Calls that a fault may cost which takes all workers' leases from them."""


@dataclass
class Stage:
    """What the faults happen to. Half of the workers are behind `line`."""

    service: Service
    workers: list[FathomProcess]
    model: ModelServer
    line: FaultProxy
    chance: random.Random


async def kill_a_worker(stage: Stage) -> int:
    victim = stage.chance.choice(stage.workers)
    await quietly(victim)
    victim.start()
    return HELD


async def freeze_a_worker(stage: Stage) -> int:
    victim = stage.chance.choice(stage.workers)
    victim.send(signal.SIGSTOP)
    await asyncio.sleep(stage.chance.uniform(0, 2 * LEASE_SECONDS))
    victim.send(signal.SIGCONT)
    return HELD


async def drain_a_worker(stage: Stage) -> int:
    victim = stage.chance.choice(stage.workers)
    await eventually(lambda: registered(stage.service, victim))  # one that is still starting knows no signal
    code = await victim.terminate()
    if code != 0:
        raise AssertionError(f"a worker told to leave ended with code {code}: {victim.said[-2000:]}")
    victim.start()
    return CONCURRENCY


async def registered(service: Service, worker: FathomProcess) -> bool:
    async with service.client() as client:
        return any(one.pid == worker.pid and one.state != "gone" for one in await client.workers())


async def kill_the_service(stage: Stage) -> int:
    await stage.service.kill()
    await asyncio.sleep(stage.chance.uniform(0, LEASE_SECONDS))
    await stage.service.restart()
    return OUTAGE


async def freeze_the_service(stage: Stage) -> int:
    stage.service.process.send(signal.SIGSTOP)
    await asyncio.sleep(stage.chance.uniform(0, 2 * LEASE_SECONDS))
    stage.service.process.send(signal.SIGCONT)
    return OUTAGE


async def kill_postgres(stage: Stage) -> int:
    await until(stage.service.kill_postgres, 120)
    return OUTAGE


async def kill_everything(stage: Stage) -> int:
    await until(lambda: stage.service.postmaster, 120)
    await kill_together(stage.service, stage.workers)
    await stage.service.restart()
    for worker in stage.workers:
        worker.start()
    return OUTAGE


async def break_connections(stage: Stage) -> int:
    for _ in range(stage.chance.randint(1, 5)):
        stage.line.cut_after = stage.chance.choice([None, 0, 50, 500])
        stage.line.break_all()
        await asyncio.sleep(stage.chance.uniform(0, 0.5))
    stage.line.cut_after = None
    return OUTAGE


async def pull_the_plug(stage: Stage) -> int:
    stage.line.mode = "silent"
    await asyncio.sleep(stage.chance.uniform(0, 2 * LEASE_SECONDS))
    stage.line.mode = "pass"
    return OUTAGE


async def lose_replies(stage: Stage) -> int:
    call = stage.chance.choice([b"/outcomes ", b"/claims ", b"/heartbeat "])
    stage.line.lose_replies(call, stage.chance.randint(1, 6))
    return OUTAGE


async def stop_the_model(stage: Stage) -> int:
    await stage.model.stop()
    await asyncio.sleep(stage.chance.uniform(0, 3))
    await stage.model.start()
    return OUTAGE


FAULTS: tuple[Callable[[Stage], Awaitable[int]], ...] = (
    kill_a_worker, freeze_a_worker, drain_a_worker, kill_the_service, freeze_the_service, kill_postgres, kill_everything,
    break_connections, pull_the_plug, lose_replies, stop_the_model,
)  # fmt: skip


async def one_job(stage: Stage, number: int, faultless: dict[Key, Fact]) -> str:
    """Run a job through some faults and check it; returns what to print."""
    stage.model.calls.clear()
    stage.model.script = unlucky()
    began = time.monotonic()
    async with stage.service.client() as client:
        job = await submit(client, "soaked", MOST_SAMPLES, retry={"max_attempts": 30}, name=f"soak {number}")
    lost, happened = 0, []
    for fault in stage.chance.choices(FAULTS, k=stage.chance.randint(1, 4)):
        await asyncio.sleep(stage.chance.uniform(0, 2))
        happened.append(fault.__name__)
        lost += await fault(stage)
    extra = sum(len(misfortunes(one.prompt_sha256)) for one in faultless.values())
    ended = await check_whole(stage.service, job.id, faultless, stage.model.calls, lost=lost + extra)
    wasted = len(stage.model.calls) - ended.counts.planned - extra
    return f"job {number}: whole after {time.monotonic() - began:.0f} s; {wasted} calls lost; {', '.join(happened)}"


async def soak(seconds: float, seed: int) -> int:
    """Run jobs until the time is over; returns how many."""
    chance = random.Random(seed)
    with new_home() as home:
        service = Service(home)
        workers = Workers(home, service)
        try:
            await service.restart()
            async with (
                ModelServer(answer=half_blind, count=count) as model,
                FaultProxy((service.host, service.port)) as line,
            ):
                workers.start(WORKERS // 2, concurrency=CONCURRENCY, server=line.address)
                workers.start(WORKERS - WORKERS // 2, concurrency=CONCURRENCY)
                faultless = await without_faults(service, model)
                model.latency = 0.15
                stage = Stage(service, workers.started, model, line, chance)
                end, number = time.monotonic() + seconds, 0
                while time.monotonic() < end:
                    number += 1
                    print(await one_job(stage, number, faultless), flush=True)
                return number
        finally:
            await asyncio.to_thread(workers.stop)
            await asyncio.to_thread(service.stop)


async def without_faults(service: Service, model: ModelServer) -> dict[Key, Fact]:
    async with service.client() as client:
        await add_model(client, "soaked", model.base_url, timeouts=PATIENT)
        job = await submit(client, "soaked", MOST_SAMPLES, name="without faults")
        await finished(service, job.id)
        return await facts(client, job.id)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    arguments = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    try:
        jobs = asyncio.run(soak(60 * arguments.minutes, seed))
    except (AssertionError, TimeoutError) as error:
        print(f"seed {seed}: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
    print(f"{jobs} jobs, all whole")


if __name__ == "__main__":
    main()
