from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that all generator tests share, so that corpora are counted once."""
    return tmp_path_factory.mktemp("ruler")
