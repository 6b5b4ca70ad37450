"""One real service for the room's tests: `fathom up` without workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.fathom_up import Up, fathom_up, new_home


@pytest.fixture(scope="session")
def up() -> Iterator[Up]:
    with new_home() as home, fathom_up(home, "--workers", "0") as running:
        yield running
