"""Finished outcomes on disk until the service has acknowledged them: an outage or a crash loses no paid answer.

Outcomes are lines in numbered segments of a folder that one worker at a time owns (by `flock`): the number under which
the service knew the worker that got the outcome, a space, the outcome as JSON. So a worker started anew reports what its
predecessor left under the predecessor's number, who may still hold the leases. A segment is deleted when all its lines are
acknowledged, so the folder stays small. A line is written before it is sent, which a crash of the process survives; against
a crash of the machine, `sync` is called now and then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from workers.errors import SettingsError

SEGMENT_BYTES = 4 * 1024 * 1024


@dataclass
class _Segment:
    path: Path
    size: int = 0
    open: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Entry:
    """An outcome as JSON, with its number in the spool and the service's number of the worker whose outcome it is."""

    number: int
    content: bytes
    worker: int = 0


class Spool:
    """The spool of one worker: the first folder below `root` that no living worker owns.

    What dead workers left in other folders is taken over too. Raises SettingsError when `root` cannot be written.
    """

    def __init__(self, root: Path) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder, self._lock = _take_folder(root)
        except OSError as error:
            raise SettingsError(f"the data folder cannot be used: {root}: {error}") from error
        self._next = 0
        self._segment_of: dict[int, _Segment] = {}
        self._current: _Segment | None = None
        self._file = -1
        self._dirty = False
        self._root = root
        _orphans(root, self.folder)
        self.left_over = self._load(sorted(self.folder.glob("[0-9]*.jsonl")))

    def add(self, content: bytes, worker: int = 0) -> Entry:
        """Write an outcome (one line of JSON). OSError when the disk refuses it."""
        segment = self._current or self._open_segment()
        entry = Entry(self._next, content, worker)
        line = b"%d %s\n" % (worker, content)
        view = memoryview(line)
        while view:
            view = view[os.write(self._file, view) :]
        self._next += 1
        self._dirty = True
        segment.size += len(line)
        segment.open.add(entry.number)
        self._segment_of[entry.number] = segment
        if segment.size > SEGMENT_BYTES:
            self._close_segment()
        return entry

    def adopt(self) -> list[Entry]:
        """Take over what workers left that have died since this one started."""
        try:
            return self._load(_orphans(self._root, self.folder))
        except OSError:
            return []

    def acknowledge(self, entry: Entry) -> None:
        """The service has judged the outcome: forget it."""
        segment = self._segment_of.pop(entry.number, None)
        if segment is None:
            return
        segment.open.discard(entry.number)
        if segment.open:
            return
        if segment is not self._current:
            segment.path.unlink(missing_ok=True)
        elif segment.size > SEGMENT_BYTES // 16:
            os.ftruncate(self._file, 0)
            segment.size = 0

    def reject(self, entry: Entry, reason: str) -> None:
        """Keep an outcome that the service cannot take, for people to read, and forget it."""
        line = orjson.dumps({"reason": reason, "outcome": entry.content.decode(errors="replace")}) + b"\n"
        with (self.folder / "rejected.jsonl").open("ab") as file:
            file.write(line)
        self.acknowledge(entry)

    @property
    def size(self) -> int:
        """Outcomes not yet acknowledged."""
        return len(self._segment_of)

    def sync(self) -> None:
        """Bring what was written since the last call onto the disk; safe to call in a thread."""
        if self._dirty and self._file >= 0:
            self._dirty = False
            with contextlib.suppress(OSError):
                os.fdatasync(self._file)

    def close(self) -> None:
        """Give the folder up; what is acknowledged leaves no trace."""
        self._close_segment()
        os.close(self._lock)

    def _open_segment(self) -> _Segment:
        path = self.folder / f"{self._next:012d}-{os.getpid()}.jsonl"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._current = _Segment(path)
        return self._current

    def _close_segment(self) -> None:
        if self._current is None:
            return
        self.sync()
        os.close(self._file)
        if not self._current.open:
            self._current.path.unlink(missing_ok=True)
        self._current, self._file = None, -1

    def _load(self, paths: list[Path]) -> list[Entry]:
        entries = []
        for path in paths:
            segment = _Segment(path)
            for line in path.read_bytes().split(b"\n"):
                worker, _, content = line.partition(b" ")
                if not worker.isdigit() or not _is_json(content):  # the last line of a crash may be half a line
                    continue
                entries.append(Entry(self._next, content, int(worker)))
                segment.open.add(self._next)
                self._segment_of[self._next] = segment
                self._next += 1
            if not segment.open:
                path.unlink(missing_ok=True)
        return entries


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _try_lock(folder: Path) -> int | None:
    lock = os.open(folder / "lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _take_folder(root: Path) -> tuple[Path, int]:
    number = 0
    while True:
        folder = root / f"{number:04d}"
        folder.mkdir(exist_ok=True, mode=0o700)
        lock = _try_lock(folder)
        if lock is not None:
            return folder, lock
        number += 1


def _orphans(root: Path, own: Path) -> list[Path]:
    """Moves the segments of folders whose worker is dead into ours; returns where they are now."""
    moved = []
    for folder in sorted(path for path in root.iterdir() if path.is_dir() and path != own):
        lock = _try_lock(folder)
        if lock is None:
            continue
        for path in sorted(folder.glob("[0-9]*.jsonl")):
            moved.append(path.rename(own / f"{path.stem}-{folder.name}.jsonl"))
        os.close(lock)
    return moved
