"""RULER's metrics, by the reference's documented behaviour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ruler.scoring import mean_percent, postprocess, score, string_match_all, string_match_part

_TEXTS = st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5)


def test_all_is_the_share_of_expected_texts_found() -> None:
    assert string_match_all("I saw 1234567 and 7654321.", ["1234567", "7654321", "1111111", "2222222"]) == 0.5


def test_part_is_full_marks_for_any_alias() -> None:
    assert string_match_part("It is France.", ["France", "the French Republic", "FR"]) == 1.0
    assert string_match_part("It is Spain.", ["France", "Gaul"]) == 0.0


def test_case_does_not_matter() -> None:
    assert string_match_all("PALM-TREE", ["palm-tree"]) == 1.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("  a\tb\x00c  ", "a\nb\nc"), ("\x01 answer \x02", "answer"), (None, ""), ("\n\n", ""), ("x\x1fy", "x\ny")],
)
def test_control_characters_become_newlines_and_ends_are_stripped(answer: str | None, expected: str) -> None:
    assert postprocess(answer) == expected


def test_an_expected_text_across_a_tab_is_not_found_as_in_the_reference() -> None:
    assert string_match_all("New\tYork", ["New York"]) == 0.0


def test_the_reference_compares_lower_case_and_danish_casefolds_and_normalises() -> None:
    composed, decomposed = "blå-gård", "bla\u030a-ga\u030ard"
    assert string_match_all(decomposed, [composed]) == 0.0
    assert string_match_all(decomposed, [composed], "nfkc-casefold") == 1.0
    assert string_match_all("STRASSE", ["straße"]) == 0.0
    assert string_match_all("STRASSE", ["straße"], "nfkc-casefold") == 1.0


@given(_TEXTS)
def test_a_perfect_answer_scores_1(expected: list[str]) -> None:
    visible = [text for text in expected if postprocess(text) == text]
    if visible:
        assert score("all", "; ".join(visible), visible) == 1.0
        assert score("part", visible[-1], visible) == 1.0


@given(_TEXTS)
def test_an_empty_answer_scores_0(expected: list[str]) -> None:
    assert score("all", "", expected) == 0.0
    assert score("part", "", expected) == 0.0


def test_a_task_is_the_mean_in_percent_with_two_decimals() -> None:
    assert mean_percent([1.0, 1 / 3, 1 / 3]) == 55.56
