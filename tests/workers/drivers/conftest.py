"""SSH servers for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sshd import Sshd, running_sshd


@pytest.fixture(scope="session")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A server that all tests share."""
    with running_sshd(tmp_path_factory.mktemp("box")) as server:
        yield server


@pytest.fixture
def own_box(tmp_path: Path) -> Iterator[Sshd]:
    """A server that the test may stop and change."""
    with running_sshd(tmp_path / "own") as server:
        yield server
