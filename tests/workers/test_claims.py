from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.claims import MOST, POLL_SECONDS, SHARED_POLL_SECONDS, Plan, Room, lookout, refill


def test_a_lane_with_room_is_refilled_by_a_long_poll() -> None:
    assert refill([Room("a", 10, 5)], free=100) == Plan(10, (), POLL_SECONDS)


def test_a_full_lane_is_avoided_and_the_poll_is_short_because_it_may_get_room() -> None:
    assert refill([Room("a", 10, 5), Room("b", 0, 1)], free=100) == Plan(10, ("b",), SHARED_POLL_SECONDS)


def test_a_claim_waits_until_it_is_worthwhile() -> None:
    assert refill([Room("a", 4, 5)], free=100) is None
    assert refill([Room("a", 0, 0)], free=100) is None


def test_the_workers_own_limit_bounds_a_claim() -> None:
    assert refill([Room("a", 50, 1)], free=7) == Plan(7, (), POLL_SECONDS)
    assert refill([Room("a", 50, 1)], free=0) is None
    plan = refill([Room("a", 10**6, 1)], free=10**6)
    assert plan is not None
    assert plan.want == MOST


def test_without_lanes_any_model_will_do() -> None:
    assert lookout([], free=100, start=4) == Plan(4, (), POLL_SECONDS)


def test_while_lanes_are_full_other_models_are_looked_out_for() -> None:
    assert lookout([Room("a", 0, 1)], free=100, start=4) == Plan(4, ("a",), POLL_SECONDS)
    assert lookout([Room("a", 9, 1)], free=100, start=4) is None


def test_a_model_with_two_lanes_is_full_only_when_both_are() -> None:
    assert refill([Room("a", 0, 1), Room("a", 3, 1)], free=9) == Plan(3, (), POLL_SECONDS)


ROOMS = st.lists(st.builds(Room, st.sampled_from("abc"), st.integers(-50, 500), st.integers(0, 50)), max_size=6)


@given(ROOMS, st.integers(-10, 1000), st.integers(1, 300))
def test_nothing_is_claimed_for_a_full_model_nor_beyond_what_is_free(rooms: list[Room], free: int, start: int) -> None:
    full = {room.model for room in rooms} - {r.model for r in rooms if r.room >= max(1, r.worthwhile)}
    for plan in (refill(rooms, free), lookout(rooms, free, start)):
        if plan is not None:
            assert 1 <= plan.want <= max(free, 0)
            assert full <= set(plan.avoid)
