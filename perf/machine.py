"""A whole Fathom for measuring: embedded Postgres, service, workers and a quick model server, each in processes of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from fathom.sync import SyncClient
from perf.plain_benchmark import plugged_in
from protocol.assets import AssetKind
from protocol.jobs import FINAL_STATES, JobDetail
from protocol.models import ApiKind, Limits, ModelRequest, TokenizerRef
from tests.support.fathom_up import Home, Up, fathom_up, new_home
from tests.support.small_tokenizer import small_tokenizer

ROOT = Path(__file__).parents[1]


@dataclass
class Use:
    """CPU seconds by part of the system, and each worker's memory in MB: now, and the most it ever was."""

    cpu: dict[str, float]
    rss: list[float]
    peak: list[float]

    def since(self, before: Use) -> dict[str, float]:
        return {part: self.cpu[part] - before.cpu.get(part, 0.0) for part in self.cpu}


@dataclass
class Machine:
    """What runs, and a client to it."""

    home: Home
    up: Up
    client: SyncClient
    environment: dict[str, str]
    stack: ExitStack
    workers: list[subprocess.Popen[str]] = field(default_factory=list)
    model_servers: list[subprocess.Popen[str]] = field(default_factory=list)

    def add_model(self, name: str, latency: float) -> str:
        """A model server with that latency (seconds), registered under that name; returns its base URL."""
        command = [sys.executable, "-m", "perf.model_server", "--latency", str(latency)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self.stack.callback(_end, process)
        self.model_servers.append(process)
        assert process.stdout is not None
        base_url = process.stdout.readline().split()[1]
        model = ModelRequest(
            name=name,
            api=ApiKind.OPENAI_CHAT,
            base_url=base_url,
            model_id="quick",
            context_window=1_000_000,
            tokenizer=TokenizerRef(asset="small"),
            limits=Limits(max_concurrency=1000),
        )
        self.client.add_model(model)
        return base_url

    def set_workers(self, count: int, concurrency: int) -> None:
        """Replace the workers."""
        for process in self.workers:
            _end(process)
        arguments = ("worker", "--concurrency", str(concurrency), "--data", self.home.folder / "worker")
        environment = {**self.environment, "FATHOM_SERVER": self.up.server, "FATHOM_TOKEN": self.up.token}
        self.workers = [self.home.start(*arguments, environment=environment) for _ in range(count)]
        for process in self.workers:
            self.stack.callback(_end, process)
        while sum(worker.state == "up" for worker in self.client.workers()) < count:
            time.sleep(0.05)

    def run(self, benchmark: str, model: str, options: dict[str, Any]) -> tuple[JobDetail, float, dict[str, float]]:
        """Run a job to its end: the job, its seconds from first claim to last result, CPU seconds by part."""
        before = self.use()
        job = self.client.submit(benchmark, model, options)
        while (job := self.client.job(job.id)).state not in FINAL_STATES:
            time.sleep(0.25)
        assert job.started_at is not None
        assert job.finished_at is not None
        seconds = (job.finished_at - job.started_at).total_seconds()
        return self.client.job(job.id), seconds, self.use().since(before)

    def use(self) -> Use:
        up = psutil.Process(self.up.process.pid)
        children = up.children(recursive=True)
        database = [child for child in children if _is_postgres(child)]
        service = [up, *(child for child in children if child not in database)]
        workers = [psutil.Process(process.pid) for process in self.workers]
        servers = [psutil.Process(process.pid) for process in self.model_servers]
        parts = {"worker": workers, "service": service, "postgres": database, "model server": servers}
        cpu = {part: sum(_cpu(process) for process in processes) for part, processes in parts.items()}
        rss = [worker.memory_info().rss / 1e6 for worker in workers]
        return Use(cpu, rss, [_peak(worker.pid) for worker in workers])


def _cpu(process: psutil.Process) -> float:
    """CPU seconds, with those of children that have ended: a connection of Postgres takes its own along otherwise."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def _is_postgres(process: psutil.Process) -> bool:
    try:
        return process.name().startswith("postgres")
    except psutil.NoSuchProcess:  # an autovacuum that has ended since they were listed
        return False


def _peak(pid: int) -> float:
    """The most memory a process ever had, in MB, by Linux's `VmHWM`; not a number elsewhere."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:")), float("nan"))


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()


@contextmanager
def machine() -> Iterator[Machine]:
    """Start a Fathom with a fresh data folder; everything ends with the block."""
    with new_home() as home, ExitStack() as stack:
        environment = plugged_in(home.folder / "plug-in")
        up = stack.enter_context(fathom_up(home, "--workers", "0", environment=environment))
        client = stack.enter_context(SyncClient(up.server, up.token))
        client.add_asset("small", AssetKind.TOKENIZER, small_tokenizer().to_str().encode(), source="trained here")
        yield Machine(home, up, client, environment, stack)
