from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from protocol.workers import CellSpec, Lease
from workers.leases import LeaseBook


def _lease(number: int, seconds: float = 30.0, job: str = "j", samples: int = 3) -> Lease:
    cell = CellSpec(cell=4, task="t", length=1, size=10)
    return Lease(id=number, job=job, cell=cell, samples=[(i, 2, 1) for i in range(samples)], seconds=seconds)


def test_a_lease_without_open_samples_is_forgotten() -> None:
    book = LeaseBook()
    book.add(_lease(1), 0.0)
    for index in range(3):
        assert book.ids() == [1]
        book.close(1, index)
    assert book.ids() == []
    book.close(1, 0)  # an outcome that comes twice changes nothing


def test_a_lease_is_kept_until_the_service_has_its_answers() -> None:
    book = LeaseBook()
    book.add(_lease(1, samples=2), 0.0)
    book.answer(1, 0)
    book.answer(1, 1)
    assert book.ids() == [1]
    [held] = book.drop([1])
    assert held.hand_backs("cancelled") == []
    book.add(_lease(2, samples=1), 0.0)
    book.answer(2, 0)
    book.close(2, 0)
    assert book.ids() == []


def test_a_lease_ends_for_us_before_it_ends_for_the_service() -> None:
    book = LeaseBook()
    book.add(_lease(1, seconds=30.0), sent_at=100.0)
    assert book.drop_expired(127.9) == []
    assert book.holds(1, 127.9)
    assert not book.holds(1, 128.0)
    assert [held.id for held in book.drop_expired(128.0)] == [1]


def test_a_lease_that_came_after_a_long_wait_is_renewed_for_its_own_time_only() -> None:
    book = LeaseBook()
    book.add(_lease(1, seconds=20.0 + 30.0), sent_at=0.0, renewed_for=30.0)
    assert book.next_deadline() == 48.0
    book.renew([1], sent_at=30.0)
    assert book.next_deadline() == 58.0


def test_a_renewal_counts_from_when_it_was_asked_for() -> None:
    book = LeaseBook()
    book.add(_lease(1, seconds=30.0), 0.0)
    book.add(_lease(2, seconds=30.0), 0.0)
    book.renew([1, 99], 10.0)
    assert [held.id for held in book.drop_expired(30.0)] == [2]
    assert book.next_deadline() == 38.0
    book.renew([1], 5.0)  # an older reply that comes late shortens nothing
    assert book.next_deadline() == 38.0


def test_open_samples_are_handed_back_with_their_generation() -> None:
    book = LeaseBook()
    book.add(_lease(1, job="a"), 0.0)
    book.add(_lease(2, job="b"), 0.0)
    book.close(1, 1)
    [held] = book.drop(book.of_jobs(["a", "c"]))
    reports = held.hand_backs("cancelled")
    assert [(r.lease, r.job, r.cell, r.index, r.generation, r.reason) for r in reports] == [
        (1, "a", 4, 0, 2, "cancelled"),
        (1, "a", 4, 2, 2, "cancelled"),
    ]
    assert book.ids() == [2]


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 100), st.floats(1, 60)), max_size=30), st.floats(0, 200))
def test_no_lease_is_believed_in_after_its_end(claims: list[tuple[int, float, float]], now: float) -> None:
    book = LeaseBook()
    ends: dict[int, float] = {}
    for number, sent_at, seconds in claims:
        book.add(_lease(number, seconds), sent_at)
        ends[number] = sent_at + seconds
    book.drop_expired(now)
    assert all(now < ends[number] for number in book.ids())
