from __future__ import annotations

import httpx
import pytest

from workers.apis.failures import LONGEST_RETRY_AFTER, retry_after


def test_a_retry_after_date_is_read_against_the_servers_own_clock() -> None:
    headers = httpx.Headers({"date": "Wed, 21 Oct 2015 07:28:00 GMT", "retry-after": "Wed, 21 Oct 2015 07:29:30 GMT"})
    assert retry_after(headers) == 90.0


@pytest.mark.parametrize(
    ("value", "seconds"), [("-5", 0.0), ("1e9", LONGEST_RETRY_AFTER), ("soon", None), ("nan", None), ("", None)]
)
def test_an_odd_retry_after_is_bounded_or_ignored(value: str, seconds: float | None) -> None:
    assert retry_after(httpx.Headers({"retry-after": value})) == seconds
