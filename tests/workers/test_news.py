"""Which leases a worker may call lost, and when it asks for news."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.workers import News, NewsReply
from tests.support.waiting import until
from workers.errors import ServiceAway
from workers.news import DOUBT_SECONDS, WAIT_SECONDS, ClaimLog, listen


class Lost(Exception):
    """A reply that does not come."""


@given(
    st.lists(st.tuples(st.sampled_from(["send", "grant", "arrive", "lose", "told"]), st.integers(0, 5)), max_size=60)
)
def test_no_lease_that_may_still_come_is_ever_settled(steps: list[tuple[str, int]]) -> None:
    log, newest = ClaimLog(), 0
    under_way: list[tuple[ExitStack, list[int]]] = []
    for step, which in steps:
        if step == "send":
            stack = ExitStack()
            stack.enter_context(log.claim())
            under_way.append((stack, []))
        elif step == "told":
            log.told(newest)
        elif under_way:
            stack, granted = under_way[which % len(under_way)]
            if step == "grant":
                newest += 1
                granted.append(newest)
            else:
                under_way.remove((stack, granted))
                if step == "arrive":
                    stack.close()
                else:
                    error = Lost()
                    with pytest.raises(Lost), stack:
                        raise error
        assert all(lease > log.settled for _, granted in under_way for lease in granted)
    for stack, _ in under_way:
        stack.close()
    log.told(newest)
    assert log.settled == newest, "once nothing is under way, all that was not held was lost"


def test_a_failed_claim_is_in_doubt_until_all_claims_of_its_time_have_ended() -> None:
    log = ClaimLog()
    assert log.doubtful, "nothing was told yet"
    log.told(4)
    assert not log.doubtful
    other = ExitStack()
    other.enter_context(log.claim())
    with pytest.raises(Lost), log.claim():
        raise Lost
    assert log.failed.is_set()
    log.told(9)
    assert (log.settled, log.doubtful) == (4, True), "what is under way may still bring lease 5"
    assert log.patience(20.0) == DOUBT_SECONDS, "a claim that waits for long would keep the doubt alive"
    other.close()
    assert (log.settled, log.doubtful) == (9, False)
    assert log.patience(20.0) == 20.0


class Desk:
    """Stands where the service is: notes what it is asked, and answers when the test says."""

    def __init__(self) -> None:
        self.asked: list[News] = []
        self.replies: asyncio.Queue[NewsReply | ServiceAway] = asyncio.Queue()

    async def ask(self, news: News) -> NewsReply:
        self.asked.append(news)
        reply = await self.replies.get()
        if isinstance(reply, ServiceAway):
            raise reply
        return reply


async def test_news_calls_for_a_heartbeat_and_a_failed_claim_for_other_news_at_once() -> None:
    desk, log, beats = Desk(), ClaimLog(), asyncio.Event()
    listening = asyncio.create_task(listen(log, desk.ask, lambda: [7], beats.set))
    await until(lambda: desk.asked)
    assert desk.asked[0] == News(leases=[7], settled=0, wait_seconds=DOUBT_SECONDS)
    desk.replies.put_nowait(NewsReply(newest_lease=9, heartbeat=True))
    await beats.wait()
    desk.replies.put_nowait(ServiceAway("gone for a moment"))
    await until(lambda: len(desk.asked) == 3)
    assert desk.asked[2] == News(leases=[7], settled=9, wait_seconds=WAIT_SECONDS)
    with pytest.raises(Lost), log.claim():
        raise Lost
    await until(lambda: len(desk.asked) == 4)
    assert desk.asked[3].wait_seconds == DOUBT_SECONDS
    listening.cancel()
