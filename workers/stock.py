"""The samples of a lane that are claimed and not yet asked: waiting, being built, ready."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable

from protocol.workers import Outcome
from workers.errors import CallError
from workers.jobs import JobShelf, OpenJob
from workers.runner import Built, Item, build, failure

BUILD_SLICE = 0.002
"""Seconds of building a hop to a thread takes at most beyond the first sample: hops cost as much as small samples."""
READY_TOKENS = 1_000_000
"""Prompts built ahead hold about this many tokens at most (some 4 MB of text)."""
_BUILDERS = min(4, os.cpu_count() or 1)
log = logging.getLogger(__name__)


class Stock:
    """Builds samples in threads, in order, as many ahead as it is told. `on_outcome` gets the failure of each that cannot
    be built, `on_built` is called when some are ready."""

    def __init__(
        self, shelf: JobShelf, on_outcome: Callable[[Item, Outcome], None], on_built: Callable[[], None]
    ) -> None:
        self._shelf, self._on_outcome, self._on_built = shelf, on_outcome, on_built
        self._waiting: deque[Item] = deque()
        self._ready: deque[tuple[OpenJob, Built]] = deque()
        self._ready_tokens, self._tokens_each = 0, 1
        self._builders: set[asyncio.Task[None]] = set()
        self._building = 0
        self._dropped: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting) + self._building + len(self._ready)

    def add(self, items: Iterable[Item]) -> None:
        self._waiting.extend(items)

    def first(self) -> Built | None:
        """The sample whose turn it is, if it is ready."""
        return self._ready[0][1] if self._ready else None

    def take(self) -> tuple[OpenJob, Built]:
        """That sample, out of the stock."""
        job, built = self._ready.popleft()
        self._ready_tokens -= built.tokens
        return job, built

    def drop(self, leases: set[int]) -> None:
        """Forget samples of those leases."""
        self._waiting = deque(item for item in self._waiting if item.lease not in leases)
        self._ready = deque(entry for entry in self._ready if entry[1].item.lease not in leases)
        self._ready_tokens = sum(built.tokens for _, built in self._ready)
        if self._building:
            self._dropped |= leases

    def clear(self) -> list[Item]:
        """Give up all that is not being built; returns it."""
        items = [*self._waiting, *(built.item for _, built in self._ready)]
        self._waiting.clear()
        self._ready.clear()
        self._ready_tokens = 0
        return items

    async def stop(self) -> None:
        """Stop building; what was being built waits again."""
        builders = list(self._builders)
        for task in builders:
            task.cancel()
        await asyncio.gather(*builders, return_exceptions=True)

    def build_ahead(self, wanted: int) -> None:
        """See to it that about so many samples are ready."""
        while (
            self._waiting
            and len(self._builders) < _BUILDERS
            and len(self._ready) + self._building < wanted
            and self._ready_tokens < READY_TOKENS
        ):
            fitting = (READY_TOKENS - self._ready_tokens) // self._tokens_each + 1
            chunk = self._take_chunk(min(fitting, wanted - len(self._ready) - self._building))
            self._building += len(chunk)
            task = asyncio.create_task(self._build(chunk))
            self._builders.add(task)
            task.add_done_callback(self._after_build)

    def _after_build(self, task: asyncio.Task[None]) -> None:
        """Only now is the builder's place free: told by the task itself, builders that end together would each find the
        places taken, and what waits would stay until a call ends."""
        self._builders.discard(task)
        if not task.cancelled():
            self._on_built()

    def _take_chunk(self, most: int) -> list[Item]:
        """Samples of one job from the front."""
        job = self._waiting[0].job
        chunk: list[Item] = []
        while self._waiting and len(chunk) < min(most, 64) and self._waiting[0].job == job:
            chunk.append(self._waiting.popleft())
        return chunk

    async def _build(self, chunk: list[Item]) -> None:
        left = list(chunk)
        try:
            job = await self._shelf.open(chunk[0].job)
            built, left, wrong = await asyncio.to_thread(build_slice, job, chunk)
            for one in built:
                self._tokens_each = max(one.tokens, 1)
                if one.item.lease not in self._dropped:
                    self._ready.append((job, one))
                    self._ready_tokens += one.tokens
            for item, error in wrong:
                self._on_outcome(item, failure(item, error))
        except CallError as error:
            left = self._fail(left, error)
        except Exception as error:  # the boundary of a job: its samples would be tried for ever
            log.exception("job %s", chunk[0].job)
            left = self._fail(left, CallError("internal", f"the job cannot be opened: {type(error).__name__}: {error}"))
        finally:
            self._building -= len(chunk)
            self._waiting.extendleft(item for item in reversed(left) if item.lease not in self._dropped)
            if not self._building:
                self._dropped.clear()

    def _fail(self, items: list[Item], error: CallError) -> list[Item]:
        for item in items:
            self._on_outcome(item, failure(item, error))
        return []


def build_slice(job: OpenJob, chunk: list[Item]) -> tuple[list[Built], list[Item], list[tuple[Item, CallError]]]:
    """Build samples until the slice of time is over: (built, left, failed). Runs in a thread."""
    end = time.perf_counter() + BUILD_SLICE
    built: list[Built] = []
    wrong: list[tuple[Item, CallError]] = []
    for number, item in enumerate(chunk):
        if number and time.perf_counter() > end:
            return built, chunk[number:], wrong
        try:
            built.append(build(job, item))
        except CallError as error:  # the server that counts tokens did not answer
            wrong.append((item, error))
        except Exception as error:  # the boundary of a sample: whatever a benchmark raises
            log.exception("sample %s", item.name)
            message = f"the sample cannot be built: {type(error).__name__}: {error}"
            wrong.append((item, CallError("benchmark", message, permanent=True)))
    return built, [], wrong
