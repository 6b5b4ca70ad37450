"""Summary blocks as text."""

from __future__ import annotations

import pytest

from fathom.cli.blocks import print_block


def test_a_columns_fractions_have_as_many_decimals_as_the_longest(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["vt", 3, 100.0, None], ["cwe", 10, 33.33, 0.0], ["fwe", 2, 0.5, 1.0]]
    print_block({"kind": "table", "title": "T", "columns": ["task", "n", "avg", "min"], "rows": rows, "notes": ["how"]})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[-4:] == [["vt", "3", "100.00", "-"], ["cwe", "10", "33.33", "0"], ["fwe", "2", "0.50", "1"], ["how"]]
