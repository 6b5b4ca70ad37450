"""A worker's steps on another machine, with a real sshd: install from wheels alone, start, look, stop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.ssh_driving import driving
from tests.support.sshd import Sshd, running_sshd
from workers import deploy
from workers.packing import OURS, pack, pack_ours


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "home").mkdir()
    with running_sshd(tmp_path / "box", extra=f"SetEnv HOME={tmp_path / 'home'}") as server:
        yield server


def needed(name: str, extra: str = "", seen: set[tuple[str, str]] | None = None) -> set[str]:
    """The distributions that installing one brings, by name."""
    seen = set() if seen is None else seen
    if (name, extra) in seen:
        return set()
    seen.add((name, extra))
    names = {name}
    for line in distribution(name).requires or []:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for wanted in requirement.extras or {""}:
            names |= needed(canonicalize_name(requirement.name), wanted, seen)
        names |= needed(canonicalize_name(requirement.name), "", seen)
    return names


async def test_a_worker_is_installed_from_wheels_alone_and_only_once(box: Sshd, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    for name in sorted(needed(OURS, "worker") - {OURS}):
        pack(distribution(name), wheels, compress=False)
    assert not list(wheels.glob("fastapi-*"))
    base = str(Path(getattr(sys, "_base_executable", sys.executable)))
    plan = deploy.Deployment(
        "one", "http://127.0.0.1:1", "secret", wheel=pack_ours(tmp_path), wheels=wheels, python=base
    )
    async with driving(box.driver()) as driver:
        program = await deploy.install(driver, plan)
        assert program.startswith(str(tmp_path / "home"))
        told = await deploy.run(driver, f"{program} worker --help; find {Path(program).parent} -name fathom")
        assert "Start a worker" in told
        made = Path(program).stat().st_mtime_ns
        assert await deploy.install(driver, plan) == program
        assert Path(program).stat().st_mtime_ns == made


async def test_a_worker_runs_on_its_own_until_it_is_stopped(box: Sshd, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    fake = environment / "bin" / "fathom"  # what is tested is how a program is started, not which
    fake.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\n'
        'echo "token $(cat "$FATHOM_TOKEN_FILE")"; echo "$@"; exec sleep 1000\n'
    )
    fake.chmod(0o755)
    plan = deploy.Deployment(
        "a-1", "http://far:1", "secret", environment=str(environment), concurrency=3, labels={"gpu": "h 100"}
    )
    async with driving(box.driver()) as driver:
        with pytest.raises(deploy.DeployError, match="no log of a worker of that name"):
            await anext(deploy.log_lines(driver, "a-1", 5, follow=False))
        pid = await deploy.start(driver, plan, await _program(driver, plan, fake))
    async with driving(box.driver()) as driver:  # another connection: the first one is gone
        assert await deploy.is_running(driver, "a-1")
        folder = tmp_path / "home" / ".fathom" / "workers" / "a-1"
        assert (folder / "token").stat().st_mode & 0o077 == 0
        assert b"secret" not in Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
        said = b"".join([chunk async for chunk in deploy.log_lines(driver, "a-1", 5, follow=False)]).decode()
        assert said.splitlines()[0] == "token secret"
        assert "worker --server http://far:1 --name a-1 --concurrency 3 --label gpu=h 100 --data" in said
        with pytest.raises(deploy.DeployError, match="it runs already"):
            await deploy.start(driver, plan, str(fake))
        assert await deploy.stop(driver, "a-1") == "stopped"
        assert not await deploy.is_running(driver, "a-1")
        with pytest.raises(deploy.DeployError, match="no worker of that name"):
            await deploy.stop(driver, "a-1")


async def _program(driver: object, plan: deploy.Deployment, expected: Path) -> str:
    fake = await deploy.install(driver, plan)  # type: ignore[arg-type]
    assert fake == str(expected)
    return fake


async def test_a_machine_where_it_cannot_be_installed_says_why(box: Sshd, tmp_path: Path) -> None:
    wheel = pack_ours(tmp_path)
    async with driving(box.driver()) as driver:
        plan = deploy.Deployment("one", "http://x", "t", wheel=wheel, python="no-such-python")
        with pytest.raises(deploy.DeployError, match="no-such-python"):
            await deploy.install(driver, plan)
        plan = deploy.Deployment("one", "http://x", "t", environment="/nowhere")
        with pytest.raises(deploy.DeployError, match="/nowhere/bin/fathom does not run there"):
            await deploy.install(driver, plan)


@pytest.mark.parametrize("name", ["", "../x", "a b", "-x", "$(x)"])
def test_names_that_are_no_folder_names_are_refused(name: str) -> None:
    with pytest.raises(deploy.DeployError, match="is no name for a worker"):
        deploy.Deployment(name, "http://x", "t")
