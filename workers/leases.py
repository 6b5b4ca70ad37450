"""The leases a worker holds, and until when it may believe in them. Pure: times are given, in monotonic seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from protocol.workers import HandBack, Lease

SAFETY, SAFETY_SECONDS = 0.1, 2.0
"""How much before the end of a lease the worker stops its calls if it could not renew: this part of it, at most so long."""


@dataclass(slots=True)
class Held:
    """A lease with its open samples (index to generation), and those that are answered but not yet acknowledged."""

    id: int
    job: str
    cell: int
    seconds: float
    deadline: float
    open: dict[int, int]
    answered: set[int] = field(default_factory=set)

    def hand_backs(self, reason: str) -> list[HandBack]:
        """Reports that give back all that is open."""
        return [
            HandBack(lease=self.id, job=self.job, cell=self.cell, index=index, generation=generation, reason=reason)
            for index, generation in self.open.items()
        ]


class LeaseBook:
    """Counted from when a claim or renewal was *sent*, a lease never ends later for us than for the service."""

    def __init__(self) -> None:
        self._held: dict[int, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def holds(self, lease: int, now: float) -> bool:
        """Whether a lease may still be believed in."""
        held = self._held.get(lease)
        return held is not None and now < held.deadline

    def ids(self) -> list[int]:
        return list(self._held)

    def add(self, lease: Lease, sent_at: float, renewed_for: float | None = None) -> None:
        """Hold a lease; `renewed_for` is how long a renewal makes it last, if not as long as the lease itself."""
        open_samples = {index: generation for index, generation, _ in lease.samples}
        deadline = _deadline(sent_at, lease.seconds)
        self._held[lease.id] = Held(
            lease.id, lease.job, lease.cell.cell, renewed_for or lease.seconds, deadline, open_samples
        )

    def answer(self, lease: int, index: int) -> None:
        """The sample has its outcome. Its lease is kept until the service has that too, or others would ask again."""
        held = self._held.get(lease)
        if held is not None and held.open.pop(index, None) is not None:
            held.answered.add(index)

    def close(self, lease: int, index: int) -> None:
        """The service has the sample's outcome; a lease with nothing left is forgotten."""
        held = self._held.get(lease)
        if held is not None:
            held.open.pop(index, None)
            held.answered.discard(index)
            if not held.open and not held.answered:
                del self._held[lease]

    def renew(self, leases: Iterable[int], sent_at: float) -> None:
        for lease in leases:
            held = self._held.get(lease)
            if held is not None:
                held.deadline = max(held.deadline, _deadline(sent_at, held.seconds))

    def drop(self, leases: Iterable[int]) -> list[Held]:
        """Forget leases that are lost; returns those that were held."""
        return [self._held.pop(lease) for lease in leases if lease in self._held]

    def drop_expired(self, now: float) -> list[Held]:
        """Forget leases that could not be renewed in time."""
        return self.drop([lease.id for lease in self._held.values() if lease.deadline <= now])

    def jobs(self) -> set[str]:
        """Jobs of which samples are held."""
        return {lease.job for lease in self._held.values()}

    def of_jobs(self, jobs: Iterable[str]) -> list[int]:
        wanted = set(jobs)
        return [lease.id for lease in self._held.values() if lease.job in wanted]

    def next_deadline(self) -> float | None:
        return min((lease.deadline for lease in self._held.values()), default=None)


def _deadline(sent_at: float, seconds: float) -> float:
    return sent_at + seconds - min(SAFETY * seconds, SAFETY_SECONDS)
