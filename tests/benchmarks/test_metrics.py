"""Statistics over score counts, against numpy, scipy and the documented examples of the rules."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchmarks import metrics
from benchmarks.metrics import Estimate

_SCORES = st.lists(st.integers(0, 10).map(lambda n: n / 10), min_size=1, max_size=200)


def _counts(values: list[float]) -> dict[float, int]:
    return dict(Counter(values))


@pytest.mark.parametrize(("percent", "expected"), [(25, 26), (50, 51), (75, 76), (90, 91), (99, 100)])
def test_the_floor_index_gives_the_documented_quantiles_of_1_to_100(percent: int, expected: int) -> None:
    assert metrics.quantile_floor({float(n): 1 for n in range(1, 101)}, percent) == expected


@pytest.mark.parametrize(("percent", "expected"), [(0, 1), (20, 20), (25, 25), (75, 75), (80, 80), (100, 100)])
def test_nearest_rank_gives_the_textbook_percentiles_of_1_to_100(percent: int, expected: int) -> None:
    assert metrics.quantile_nearest_rank({float(n): 1 for n in range(1, 101)}, percent) == expected


@given(_SCORES, st.integers(1, 100))
def test_nearest_rank_equals_numpys_inverted_cdf(values: list[float], percent: int) -> None:
    expected = np.percentile(values, percent, method="inverted_cdf")
    assert metrics.quantile_nearest_rank(_counts(values), percent) == expected


@given(_SCORES, st.integers(0, 100))
def test_the_floor_index_is_an_element_of_the_sorted_scores(values: list[float], percent: int) -> None:
    expected = sorted(values)[min(len(values) * percent // 100, len(values) - 1)]
    assert metrics.quantile_floor(_counts(values), percent) == expected


@given(_SCORES)
def test_mean_and_both_standard_deviations_equal_numpys(values: list[float]) -> None:
    counts = _counts(values)
    assert metrics.mean(counts) == pytest.approx(np.mean(values))
    assert metrics.standard_deviation(counts, sample=False) == pytest.approx(np.std(values), abs=1e-12)
    sample = metrics.standard_deviation(counts, sample=True)
    if len(values) == 1:
        assert sample is None
    else:
        assert sample == pytest.approx(np.std(values, ddof=1), abs=1e-12)


def test_nothing_comes_of_no_scores() -> None:
    assert metrics.mean({}) is None
    assert metrics.estimate({}) is None
    assert metrics.ruler_block({}) is None
    assert metrics.quantile_floor({}, 50) is None
    assert metrics.standard_deviation({}, sample=False) is None


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (1, 10), (9, 10), (10, 10), (437, 500), (1, 1), (0, 1)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_wilson_equals_scipys(successes: int, n: int, confidence: float) -> None:
    expected = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert metrics.wilson(successes, n, confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.lists(st.integers(0, 4).map(lambda n: n / 4), min_size=2, max_size=50).filter(lambda v: len(set(v)) > 1))
@settings(max_examples=50)
def test_students_interval_equals_scipys_cut_to_0_and_1(values: list[float]) -> None:
    expected = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    assert metrics.student(_counts(values)) == pytest.approx(np.clip(expected, 0, 1), abs=1e-9)


def test_scores_of_0_and_1_get_a_wilson_interval_and_fractions_a_student_one() -> None:
    binary, fractions = {0.0: 3, 1.0: 7}, {0.25: 3, 1.0: 7}
    assert metrics.estimate(binary) == Estimate(0.7, *metrics.wilson(7, 10))
    low, high = metrics.student(fractions) or (math.nan, math.nan)
    assert metrics.estimate(fractions) == Estimate(0.775, low, high)


def test_equal_fractions_have_an_interval_of_some_width_and_a_single_one_has_none() -> None:
    assert metrics.estimate({0.5: 20}) == Estimate(0.5, *metrics.wilson(10, 20))
    assert metrics.estimate({0.5: 1}) == Estimate(0.5)


def test_a_perfect_cell_is_not_called_certain() -> None:
    found = metrics.estimate({1.0: 20})
    assert found is not None
    assert (found.mean, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(stats.binomtest(20, 20).proportion_ci(method="wilson").low)


def test_combining_one_estimate_changes_nothing() -> None:
    one = Estimate(0.8, 0.7, 0.9)
    combined = metrics.combine([one])
    assert (combined.mean, combined.low, combined.high) == pytest.approx((0.8, 0.7, 0.9))


def test_combining_two_estimates_follows_the_formula_of_zou_and_donner() -> None:
    combined = metrics.combine([Estimate(0.8, 0.7, 0.85), Estimate(0.4, 0.2, 0.5)], [3, 1])
    assert combined.mean == pytest.approx(0.75 * 0.8 + 0.25 * 0.4)
    assert combined.low == pytest.approx(0.7 - math.sqrt((0.75 * 0.1) ** 2 + (0.25 * 0.2) ** 2))
    assert combined.high == pytest.approx(0.7 + math.sqrt((0.75 * 0.05) ** 2 + (0.25 * 0.1) ** 2))


def test_a_mean_with_a_part_without_interval_has_none() -> None:
    assert metrics.combine([Estimate(0.8, 0.7, 0.9), Estimate(0.5)]) == Estimate(0.65)


def test_the_interval_of_a_mean_of_means_covers_the_truth_about_95_times_in_a_hundred() -> None:
    rng, chances, covered, runs = random.Random(7), (0.95, 0.7, 0.5, 0.9), 0, 600
    for _ in range(runs):
        parts = []
        for chance in chances:
            hits = sum(rng.random() < chance for _ in range(40))
            estimate = metrics.estimate({1.0: hits, 0.0: 40 - hits})
            assert estimate is not None
            parts.append(estimate)
        total = metrics.combine(parts)
        assert total.low is not None
        assert total.high is not None
        covered += total.low <= sum(chances) / 4 <= total.high
    assert 0.92 <= covered / runs <= 0.98


def test_the_ruler_block_of_a_known_list() -> None:
    block = metrics.ruler_block({0.0: 1, 0.4: 1, 0.8: 2, 1.0: 6})
    assert block == metrics.RulerBlock(10, 0.8, 0.0, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0, 6)


def test_scores_that_occur_no_times_count_for_nothing() -> None:
    block = metrics.ruler_block({0.0: 0, 0.5: 2, 1.0: 0})
    assert block is not None
    assert (block.n, block.min, block.max, block.perfect) == (2, 0.5, 0.5, 0)


def test_a_billion_scores_cost_no_more_than_ten() -> None:
    counts = {n / 10: 10**9 for n in range(11)}
    assert metrics.mean(counts) == pytest.approx(0.5)
    assert metrics.quantile_floor(counts, 50) == 0.5
    assert metrics.size(metrics.merge([counts, counts])) == 22 * 10**9
