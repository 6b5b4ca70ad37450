from __future__ import annotations

import copy
import math
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf.simulated import Batching, Capacity, Moody, RateLimited, Server, Simulation
from workers import memory
from workers.limits import CUT, Controller, Kind, Memory
from workers.pressure import Pressure
from workers.ramps import START


def _even(_: random.Random) -> int:
    return 1000


def _mixed(source: random.Random) -> int:
    return source.choice([1000, 4000, 16000])


# server, seconds, the most tokens a second it can do
KNOWN: dict[str, tuple[Server, float, float]] = {
    "4 slots": (Capacity(4, 2.0), 1000, 2000),
    "64 slots": (Capacity(64, 2.0), 600, 32_000),
    "100 quick slots": (Capacity(100, 0.05), 40, 2_000_000),
    "a single slot": (Capacity(1, 1.0), 600, 1000),
    "clients that give up when they wait": (Capacity(16, 1.0, timeout=4.0), 600, 16_000),
    "a cache of 20 calls, 503 beyond": (Batching(20_000, 8.0, cache=20_000, refuses=True), 600, 14_000),
    "600 calls a minute, Retry-After of 1 to 90 s": (RateLimited(600, 1.0), 1500, 10_000),
    "600 calls in each minute": (RateLimited(600, 1.0, windows=True), 1500, 10_000),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("seed", [0, 1])
def test_ninety_five_percent_of_what_a_server_can_do_is_reached_after_a_tenth_of_the_run(name: str, seed: int) -> None:
    server, seconds, most = KNOWN[name]
    done = Simulation(copy.deepcopy(server), Controller(256), tokens=_even, seed=seed).run(seconds)
    assert done.throughput(seconds / 10, seconds) >= 0.95 * most


def test_a_server_whose_capacity_changes_is_followed_up_and_down() -> None:
    for before, after in ((8, 32), (32, 8)):
        server = Capacity(before, 1.0, changes=[(600.0, after)])
        done = Simulation(server, Controller(256), tokens=_even).run(1200.0)
        assert done.throughput(60, 600) >= 0.95 * before * 1000
        assert done.throughput(720, 1200) >= 0.95 * after * 1000


def test_calls_that_only_wait_are_not_piled_up_without_end() -> None:
    """vLLM and llama.cpp queue without a limit and never answer 429: only waiting time tells."""
    controller = Controller(256)
    Simulation(Capacity(16, 1.0), controller, tokens=_even).run(1200.0)
    assert controller.limit <= 5 * 16


def test_long_prompts_count_as_what_they_hold() -> None:
    """Beyond the cache the server refuses; tokens in flight are then kept below it, however the sizes fall."""
    server = Batching(20_000, 4.0, cache=100_000, refuses=True)
    controller = Controller(256)
    done = Simulation(server, controller, tokens=_mixed).run(3000.0)
    assert controller.token_limit is not None
    assert controller.token_limit <= 1.1 * 100_000
    assert done.count("overloaded") < 0.05 * done.count("ok")


def test_a_long_retry_after_delays_calls_but_not_for_as_long_as_it_says() -> None:
    controller = Controller(8)
    ticket = controller.start(0.0, 10)
    controller.finish(ticket, 1.0, "rate_limited", retry_after=90.0)
    assert 1.0 < controller.ready_at(1.0, 10) <= 11.0  # a single call finds out whether the server takes calls again
    probe = controller.start(3.0, 10)
    assert math.isinf(controller.ready_at(3.0, 10))
    controller.finish(probe, 4.0, "ok")
    assert controller.ready_at(4.0, 10) == 4.0


def test_calls_that_hang_since_the_model_went_down_do_not_hold_up_the_one_that_tries_it_again() -> None:
    controller = Controller(8, fixed=True)
    hanging = [controller.start(0.0, 10) for _ in range(3)]
    controller.pause(5.0)
    assert controller.ready_at(1.0, 10) == 5.0
    trial = controller.start(5.0, 10)
    assert math.isinf(controller.ready_at(5.0, 10))
    controller.finish(trial, 6.0, "failed")
    assert controller.ready_at(6.0, 10) == 6.0  # the next trial
    trial = controller.start(6.0, 10)
    controller.finish(trial, 7.0, "ok")
    started = [controller.start(7.0, 10) for _ in range(8 - len(hanging)) if controller.ready_at(7.0, 10) == 7.0]
    assert len(started) == 5
    assert math.isinf(controller.ready_at(7.0, 10))  # the limit counts what hangs


def test_a_short_retry_after_is_waited_for() -> None:
    controller = Controller(8, fixed=True)
    controller.finish(controller.start(0.0, 10), 1.0, "rate_limited", retry_after=3.0)
    assert controller.ready_at(1.0, 10) == 4.0
    assert controller.limit == 8


def test_a_pace_is_not_learnt_from_time_without_work() -> None:
    """A few small jobs with long breaks between, then a refusal: what was taken in the breaks is no rate limit."""
    controller, now = Controller(8), 0.0
    for _ in range(4):
        for _ in range(6):
            controller.finish(controller.start(now, 10), now + 0.05, "ok")
            now += 0.1
        now += 5.0
    for number in range(12):
        controller.finish(controller.start(now, 10), now + 0.05, "rate_limited" if number == 11 else "ok")
        now += 0.1
    assert controller.rate is not None
    assert controller.rate > 5


def test_a_pace_is_lifted_where_nothing_is_refused_any_more() -> None:
    controller, now = Controller(8, memory=Memory(8, rate=1.0)), 0.0
    for _ in range(600):
        now = max(now, controller.ready_at(now, 10))
        controller.finish(controller.start(now, 10), now + 0.01, "ok")
        now += 0.01
    assert now < 200  # at the first pace: 600 s


def test_a_pace_is_forgotten_after_a_break() -> None:
    controller = Controller(8, memory=Memory(8, rate=0.5))
    for _ in range(2):
        controller.finish(controller.start(0.0, 10), 0.1, "ok")
    assert controller.ready_at(0.2, 10) == 2.0
    controller.start(100.0, 10)
    assert controller.ready_at(100.0, 10) == 100.0


def test_many_refusals_of_one_episode_cut_once() -> None:
    controller = Controller(64, memory=Memory(40))
    tickets = [controller.start(0.0, 10) for _ in range(40)]
    for number, ticket in enumerate(tickets):
        controller.finish(ticket, 1.0 + number / 100, "timeout")
    assert controller.limit == 40 * CUT["timeout"]


def test_refusals_that_do_not_depend_on_the_load_do_not_choke_a_model() -> None:
    """A router that answers 429 to every fifth call whatever is in flight: cutting does not help, so it is taken back."""
    for seed in range(3):
        controller = Controller(64)
        Simulation(Moody(0.5), controller, tokens=_even, seed=seed).run(300.0)
        assert controller.limit >= 48


def test_a_fixed_limit_stays() -> None:
    controller = Controller(16, fixed=True)
    Simulation(Capacity(2, 1.0, timeout=3.0), controller, tokens=_even).run(100.0)
    assert controller.limit == 16


def test_a_model_is_met_gently_and_remembered(tmp_path: Path) -> None:
    controller = Controller(256)
    assert controller.limit == START
    Simulation(Capacity(64, 1.0), controller, tokens=_even).run(300.0)
    path = tmp_path / "limits.json"
    memory.save(path, {"a": controller.memory()})
    memory.save(path, {"b": Memory(3)})
    assert Controller(256, memory=memory.load(path)["a"]).limit == controller.limit > 40
    assert Controller(8, memory=memory.load(path)["a"]).limit == 8
    memory.save(path, {"paced": Memory(3, rate=0.2)})
    assert memory.load(path)["paced"] == Memory(3)
    path.write_bytes(b"{")
    assert memory.load(path) == {}


KINDS: st.SearchStrategy[Kind] = st.sampled_from(["ok", "rate_limited", "overloaded", "timeout", "failed", "aborted"])

WAITING = st.integers(0, 200).map(float)


@settings(deadline=None)
@given(
    st.lists(st.tuples(KINDS, st.floats(0, 100), st.none() | st.floats(0, 1e6), st.integers(1, 10**6)), max_size=200),
    st.lists(st.none() | st.builds(Pressure, WAITING, st.none() | WAITING, st.none() | st.floats(0, 1)), max_size=200),
    st.integers(1, 64),
)
def test_whatever_happens_at_least_one_call_may_go_and_never_more_than_the_ceiling(
    history: list[tuple[Kind, float, float | None, int]], polls: list[Pressure | None], ceiling: int
) -> None:
    controller, now = Controller(ceiling), 0.0
    flying = []
    for kind, seconds, retry_after, tokens in history:
        while (at := controller.ready_at(now, tokens)) <= now:
            flying.append(controller.start(now, tokens))
            assert len(flying) == controller.in_flight <= ceiling
        assert flying or at < now + 61.0  # an idle controller always names a time
        now += seconds
        if polls:
            controller.pressed(polls.pop())
        if flying:
            controller.finish(flying.pop(0), now, kind, retry_after=retry_after)
    assert 1 <= controller.limit <= ceiling
    assert controller.tokens_in_flight == sum(ticket.tokens for ticket in flying)
