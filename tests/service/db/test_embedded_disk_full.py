"""A disk that fills up under the embedded server, really: a small tmpfs in a mount namespace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare, to mount"),
]

SCRIPT = """
import asyncio, json, os, subprocess, sys, time
from pathlib import Path
import asyncpg
from service.db.embedded import EmbeddedPostgres
from service.db.engine import raw_dsn

place = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=320m,mode=755", "tmpfs", str(place)], check=True)
server = EmbeddedPostgres(place / "data", {"max_wal_size": "32MB", "min_wal_size": "32MB"}).start()
LOST = (asyncpg.PostgresError, asyncpg.InterfaceError, OSError)

def until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, server.problem
        time.sleep(0.05)

async def fill():
    connection = await asyncpg.connect(raw_dsn(server.url))
    await connection.execute("create table t(i int, p text)")
    ballast = place / "ballast"
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    with ballast.open("wb") as file:
        file.write(b"x" * (free - 24 * 2**20))
    committed = 0
    try:
        while True:
            await connection.execute("insert into t select g, repeat('x', 900) from generate_series(1, 200) g")
            committed += 200
    except LOST as error:
        connection.terminate()
        return committed, str(error)

async def count():
    while True:
        try:
            connection = await asyncpg.connect(raw_dsn(server.url))
            rows = await connection.fetchval("select count(*) from t")
            await connection.execute("insert into t values (0, 'y')")
            await connection.close()
            return rows
        except LOST:
            await asyncio.sleep(0.1)

committed, error = asyncio.run(fill())
crashed = "No space left" not in error
if crashed:
    until(lambda: server.problem is not None or server.restarts)
problem = server.problem
(place / "ballast").unlink()
rows = asyncio.run(asyncio.wait_for(count(), 120))
until(lambda: server.problem is None)
print(json.dumps({"committed": committed, "rows": rows, "error": error, "problem": problem}))
server.stop()
"""


def test_nothing_committed_is_lost_and_the_server_comes_back_when_there_is_room(server_folder: Path) -> None:
    command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-c", SCRIPT, str(server_folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    if "mount" in done.stderr and "denied" in done.stderr:
        pytest.skip("mounting is not allowed here")
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["committed"] > 0
    assert found["rows"] >= found["committed"]
