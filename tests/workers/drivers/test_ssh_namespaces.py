"""Two GPU boxes as network namespaces: model servers bound to their own loopbacks, one box behind the other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.namespaces import Box, two_boxes, why_not
from tests.support.ssh_driving import driving, sh
from tests.support.sshd import Sshd, running_sshd
from tests.support.waiting import until
from workers.errors import DriverError

REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@contextmanager
def model_in(box: Box, answer_to: str) -> Iterator[str]:
    """A model server on the box's loopback, which knows one model; its base URL as seen there."""
    command = [*box.inside, sys.executable, "-m", "tests.support.model_server", "--port", "0", "--model", answer_to]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[1]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Box, Sshd, Box, Sshd]]:
    folder = tmp_path_factory.mktemp("boxes")
    with (
        two_boxes() as (first, second),
        running_sshd(folder / "first", address=first.address, prefix=first.inside) as gate,
        running_sshd(folder / "second", address=second.address, prefix=second.inside) as inner,
    ):
        yield first, gate, second, inner


async def ids_at(http: httpx.AsyncClient, base_url: str) -> list[str]:
    return [model["id"] for model in (await http.get(f"{base_url}/models")).json()["data"]]


async def test_each_driver_reaches_the_server_on_its_own_boxs_loopback(
    boxes: tuple[Box, Sshd, Box, Sshd], tmp_path: Path
) -> None:
    first, gate, second, inner = boxes
    known = tmp_path / "known_hosts"
    known.write_text(gate.known_hosts.read_text() + inner.known_hosts.read_text())
    with (inner.folder / "authorized_keys").open("a") as keys:
        keys.write((gate.folder / "key.pub").read_text())
    jump = f"{gate.user}@{gate.address}:{gate.port}"
    behind = inner.driver(key=str(gate.key), known_hosts=str(known), proxy_jump=jump)
    with model_in(first, "llama-on-first") as one, model_in(second, "qwen-on-second") as two:
        async with driving(gate.driver()) as near, near.http() as http:
            assert await ids_at(http, one) == ["llama-on-first"]
        async with driving(behind) as far, far.http() as http:
            assert await ids_at(http, two) == ["qwen-on-second"]
            assert second.address in await sh(far, "ip -br address")


async def test_the_box_behind_is_out_of_reach_without_its_jump_host(boxes: tuple[Box, Sshd, Box, Sshd]) -> None:
    *_, inner = boxes
    with pytest.raises(DriverError, match="cannot connect"):
        async with driving(inner.driver(connect_seconds=1)) as driver:
            await sh(driver, "true")


async def test_an_unplugged_network_is_noticed_and_the_link_returns_with_it(boxes: tuple[Box, Sshd, Box, Sshd]) -> None:
    first, gate, *_ = boxes
    options = {"keepalive_seconds": 0.3, "keepalive_count": 2, "connect_seconds": 2}
    with model_in(first, "m") as base_url:
        async with driving(gate.driver(**options)) as driver, driver.http() as http:
            assert await ids_at(http, base_url) == ["m"]
            first.unplug()
            await until(lambda: driver.links.open_connections == 0)
            first.plug()
            assert await ids_at(http, base_url) == ["m"]
