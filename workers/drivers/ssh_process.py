"""Programs on the far machine, none of which outlives its worker.

OpenSSH tells nobody when a session ends: the program of a closed channel, a cut connection or a dead client goes on
running, and for root logins sshd refuses to pass signals at all. So the program runs under a small shell script that
kills its whole process tree as soon as its own stdin ends. Environment and arguments go through that stdin too: the
far machine's process list shows no secret but what the program's own arguments say.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import signal
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import asyncssh

from workers.drivers.base import Exit, Stream
from workers.drivers.ssh_link import Links
from workers.errors import DriverError

CHUNK = 64 * 1024
GRACE_SECONDS = 1
"""From SIGTERM to SIGKILL."""
_DEADLINE_SLACK = 30
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_WRAPPER = r"""
refuse() { echo "fathom: $1" >&2; exit 126; }
members() { grep -ls "FATHOM_CALL=$run" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'; }
signal_all() { kill -$1 -$child 2>/dev/null; for pid in $(members); do kill -$1 $pid 2>/dev/null; done; }
gone() { ! kill -0 -$child 2>/dev/null && [ -z "$(members)" ]; }
end_tree() {
  gone && return
  signal_all TERM
  tries=0
  while [ $tries -lt $grace ]; do gone && return; sleep 0.1; tries=$((tries + 1)); done
  while ! gone; do signal_all KILL; sleep 0.05; done
}
main() {
  for tool in setsid mkfifo mktemp env grep head timeout; do
    command -v $tool >/dev/null || refuse "this machine lacks the program $tool"
  done
  if [ -n "$cwd" ]; then cd "$cwd" 2>/dev/null || refuse "cannot enter $cwd"; fi
  command -v "$program" >/dev/null || refuse "cannot run $program: no such program"
  fifo=$(mktemp -d "${TMPDIR:-/tmp}/fathom.XXXXXX") && mkfifo -m 600 "$fifo/stdin" || refuse "cannot make a pipe"
  exec 3<&0 </dev/null 4<>"$fifo/stdin" 5<"$fifo/stdin" 6>"$fifo/stdin" 4>&-
  rm -rf "$fifo"
  setsid $limit env -i PATH="$PATH" HOME="$HOME" LANG="${LANG:-C.UTF-8}" "$@" <&5 3<&- 5<&- 6>&- &
  child=$!
  exec 5<&-
  ( head -c $size <&3 >&6 2>/dev/null; exec 6>&-; cat <&3 >/dev/null; end_tree ) >/dev/null 2>&1 &
  exec 6>&- 3<&-
  wait $child
  status=$?
  end_tree
  exit $status
}
main "$@"
"""


def header(
    command: Sequence[str], env: Mapping[str, str], *, cwd: str | None, size: int, seconds: float | None
) -> bytes:
    """The script that the far shell reads before the program's own stdin of `size` bytes.

    Only its last line starts anything, so that a header cut short runs nothing. The far machine ends the program by
    itself some time after the deadline (`seconds`), should the worker freeze while its connection stays open.
    """
    bad = next((name for name in env if not _NAME.fullmatch(name)), None)
    if bad is not None:
        raise DriverError("driver", f"environment variable {bad!r} is not a valid name", permanent=True)
    run = uuid.uuid4().hex
    settings = {
        "run": run,
        "cwd": cwd or "",
        "program": command[0],
        "size": str(size),
        "grace": str(GRACE_SECONDS * 10),
        "limit": f"timeout -k 5 {int(seconds) + _DEADLINE_SLACK}" if seconds else "",
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in settings.items()]
    pairs = [shlex.quote(f"{name}={value}") for name, value in {**env, "FATHOM_CALL": run}.items()]
    lines.append("set -- " + " ".join([*pairs, *map(shlex.quote, command)]))
    return ("\n".join(lines) + _WRAPPER).encode()


@asynccontextmanager
async def running(
    links: Links,
    command: Sequence[str],
    *,
    stdin: bytes,
    env: Mapping[str, str],
    cwd: str | None,
    deadline: float | None,
) -> AsyncIterator[SshProcess]:
    """A program on the far machine; it and all its children are gone soon after the block is left.

    `dd` reads the header byte by byte, and so not a byte of what follows.
    """
    script = header(command, env, cwd=cwd, size=len(stdin), seconds=deadline)
    shell = f"exec sh -c 'eval \"$(dd bs=1 count={len(script)} 2>/dev/null)\"'"
    async with links.session(shell) as session:
        process = SshProcess(session, script + stdin, links.host.label)
        try:
            async with asyncio.timeout(deadline):
                yield process
        finally:
            await process.aclose()


class SshProcess:
    """A program on the far machine. Its stdin is fed while its output is read, by chunk."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes], stdin: bytes, label: str) -> None:
        self._process, self._label = process, label
        self._chunks: asyncio.Queue[tuple[Stream, bytes] | None] = asyncio.Queue(maxsize=64)
        self._first_words = b""
        self._feeding = asyncio.create_task(self._feed(stdin))
        self._draining = [
            asyncio.create_task(self._drain("stdout", process.stdout)),
            asyncio.create_task(self._drain("stderr", process.stderr)),
        ]

    async def output(self) -> AsyncIterator[tuple[Stream, bytes]]:
        closed = 0
        while closed < len(self._draining):
            item = await self._chunks.get()
            if item is None:
                closed += 1
            else:
                yield item

    async def wait(self) -> Exit:
        await self._process.wait_closed()
        status, ended_by = self._process.exit_status, self._process.exit_signal
        if ended_by is not None:
            return Exit(None, f"SIG{ended_by[0]}")
        if status is None:
            raise DriverError("connection", f"the connection to {self._label} broke while a program ran", counts=False)
        if status == 126 and self._first_words.startswith(b"fathom: "):
            reason = self._first_words.decode(errors="replace").removeprefix("fathom: ").strip()
            raise DriverError("not_found", f"{self._label}: {reason}", permanent=True)
        return Exit(None, _SIGNALS[status - 128]) if status - 128 in _SIGNALS else Exit(status)

    async def _feed(self, stdin: bytes) -> None:
        with suppress(OSError, asyncssh.Error):  # a program need not read all of its input
            for start in range(0, len(stdin), CHUNK):
                self._process.stdin.write(stdin[start : start + CHUNK])
                await self._process.stdin.drain()

    async def _drain(self, stream: Stream, reader: asyncssh.SSHReader[bytes]) -> None:
        with suppress(OSError, asyncssh.Error):
            while chunk := await reader.read(CHUNK):
                if stream == "stderr" and len(self._first_words) < 512:
                    self._first_words += chunk[:512]
                await self._chunks.put((stream, chunk))
        await self._chunks.put(None)

    async def aclose(self) -> None:
        """End the program, whatever it is doing: its stdin ends, and with it its whole tree."""
        self._feeding.cancel()
        with suppress(OSError, asyncssh.Error):
            self._process.stdin.write_eof()
        discarding = asyncio.create_task(self._discard())
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait_closed(), GRACE_SECONDS + 4)
        tasks = [self._feeding, discarding, *self._draining]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._process.close()

    async def _discard(self) -> None:
        """Nobody reads the output any more, and a full window would keep the channel open."""
        while True:
            await self._chunks.get()


_SIGNALS = {number.value: number.name for number in signal.Signals}
