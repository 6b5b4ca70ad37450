"""Summaries of RULER jobs: the published figures recomputed, and every block's figures and denominators."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.base import CellScores, Curve, HeatMap, Table, Verdict
from benchmarks.ruler import BENCHMARK
from benchmarks.ruler.aggregates import effective_length, weights
from benchmarks.ruler.options import parse_options
from benchmarks.ruler.published import PublishedRow, published

_COMPLETE = [row for row in published().rows if row.weighted_increasing is not None]


def _blocks(
    given: dict[str, Any], scores: dict[tuple[str, int], dict[float, int]], planned: int = 10
) -> dict[str, Any]:
    """Blocks by id of a job whose cells have these scores; cells not named have none."""
    options = parse_options(given)
    cells = []
    for cell in BENCHMARK.cells(options):
        counts = scores.get((cell.task, cell.length), {})
        cells.append(CellScores(cell, planned, {"ok": sum(counts.values())}, counts))
    return {block.id: block for block in BENCHMARK.summarise(options, cells)}


@pytest.mark.parametrize("row", _COMPLETE, ids=lambda row: row.model)
def test_average_and_weighted_averages_are_those_the_reference_publishes(row: PublishedRow) -> None:
    def weighted(direction: Any) -> float:
        return sum(w * m for w, m in zip(weights(6, direction), row.means, strict=True))

    # Published means are rounded to one decimal, and so are the averages made from the unrounded ones.
    assert sum(row.means) / 6 == pytest.approx(row.average, abs=0.11)
    assert weighted("increasing") == pytest.approx(row.weighted_increasing, abs=0.11)
    assert weighted("decreasing") == pytest.approx(row.weighted_decreasing, abs=0.11)


def test_the_threshold_is_the_published_baseline() -> None:
    assert parse_options({}).threshold == published().baseline.mean


def test_the_weights_of_six_lengths_are_those_of_the_reference() -> None:
    assert [round(w, 3) for w in weights(6, "increasing")] == [0.048, 0.095, 0.143, 0.190, 0.238, 0.286]
    assert weights(6, "decreasing") == weights(6, "increasing")[::-1]


@pytest.mark.parametrize("row", published().rows, ids=lambda row: row.model)
def test_the_effective_length_by_the_rule_is_the_published_one_but_for_the_known_slip(row: PublishedRow) -> None:
    means = [(length, mean / 100) for length, mean in zip(published().lengths, row.means, strict=True)]
    found = effective_length(means, 85.6, "largest")
    text = {None: "<4K", 131072: ">128K"}.get(found, f"{(found or 0) // 1024}K")
    assert text == ("64K" if row.model == "Qwen3-14B" else row.effective)


def test_the_two_rules_differ_where_a_shorter_length_falls_below() -> None:
    means = [(4096, 0.9), (8192, 0.8), (16384, 0.9)]
    assert effective_length(means, 85.6, "largest") == 16384
    assert effective_length(means, 85.6, "every") == 4096
    assert effective_length([(4096, 0.5)], 85.6, "largest") is None


def test_a_mean_exactly_at_the_threshold_reaches_it() -> None:
    assert effective_length([(4096, 0.856)], 85.6, "every") == 4096


def test_effective_length_is_computed_from_the_means_over_tasks() -> None:
    given = {"tasks": ["vt", "cwe"], "lengths": [4096, 8192, 16384]}
    scores = {("vt", n): {1.0: 400} for n in (4096, 8192, 16384)}
    scores |= {("cwe", 4096): {1.0: 400}, ("cwe", 8192): {0.9: 200, 0.8: 200}, ("cwe", 16384): {0.0: 200, 1.0: 200}}
    verdict = _blocks(given, scores, planned=400)["effective_length"]
    assert isinstance(verdict, Verdict)
    assert (verdict.value, verdict.unit) == (8192, "tokens")
    assert verdict.interval == (8192.0, 8192.0)
    assert any("not RULER's figure" in note for note in verdict.notes)


def test_no_length_reaching_the_threshold_is_said_so() -> None:
    blocks = _blocks({"tasks": ["vt"], "lengths": [4096, 8192]}, {("vt", 4096): {0.2: 9}, ("vt", 8192): {0.2: 9}})
    assert blocks["effective_length"].value == "< 4096"


def test_a_length_counts_once_every_task_has_measurements() -> None:
    blocks = _blocks(
        {"tasks": ["vt", "cwe"], "lengths": [4096, 8192]}, {("vt", 4096): {1.0: 5}, ("vt", 8192): {1.0: 5}}
    )
    assert blocks["effective_length"].value is None
    assert blocks["averages"].rows[0][1] is None
    assert blocks["scores"].rows[0][1].startswith("100.00 [")
    assert blocks["scores"].rows[-1] == ["mean of 2 tasks", None, None]


def test_a_length_above_one_without_measurements_is_not_called_effective_unless_the_rule_says_largest() -> None:
    given = {"tasks": ["vt"], "lengths": [4096, 8192, 16384]}
    scores = {("vt", 4096): {1.0: 5}, ("vt", 16384): {1.0: 5}}
    assert _blocks(given, scores)["effective_length"].value == 4096
    assert _blocks({**given, "effective_length": "largest"}, scores)["effective_length"].value == 16384
    assert _blocks(given, {("vt", 16384): {1.0: 5}})["effective_length"].value is None


def test_averages_and_categories_are_plain_means_of_task_means() -> None:
    given = {"tasks": ["niah_single_1", "niah_multikey_2", "vt"], "lengths": [4096, 8192]}
    scores = {
        ("niah_single_1", 4096): {1.0: 10}, ("niah_multikey_2", 4096): {1.0: 5, 0.0: 5}, ("vt", 4096): {0.6: 10},
        ("niah_single_1", 8192): {1.0: 5, 0.0: 5}, ("niah_multikey_2", 8192): {0.0: 10}, ("vt", 8192): {0.1: 10},
    }  # fmt: skip
    blocks = _blocks(given, scores)
    averages: Table = blocks["averages"]
    assert [row[1] for row in averages.rows] == [45.0, 36.67, 53.33]  # means 70 and 20: 45, (70+40)/3, (140+20)/3
    categories: Table = blocks["categories"]
    assert [(row[0], row[1], row[2].split(" ")[0]) for row in categories.rows] == [
        ("retrieval", 2, "75.00"), ("tracing", 1, "60.00"),
    ]  # fmt: skip


def test_the_curve_has_points_with_intervals_and_the_threshold() -> None:
    curve = _blocks({"tasks": ["vt"], "lengths": [8192, 4096]}, {("vt", 4096): {1.0: 8, 0.0: 2}})["length_curve"]
    assert isinstance(curve, Curve)
    assert (curve.threshold, curve.log_x) == (0.856, True)
    mean, vt = curve.series
    assert mean.points[0] == pytest.approx(vt.points[0])
    assert vt.points[0][:2] == (4096.0, 0.8)
    assert vt.points[0][2] < 0.8 < vt.points[0][3]  # type: ignore[operator]
    assert vt.points[1] == (8192.0, None, None, None)


def test_fixed_depths_have_a_heat_map_a_niah_task() -> None:
    options = parse_options({"tasks": ["niah_single_1", "vt"], "lengths": [8192, 4096], "depths": [100, 0]})
    cells = [
        CellScores(c, 4, {"ok": 4}, {1.0: 4} if c.variant.get("depth") == 0 else {0.0: 2, 1.0: 2})
        for c in BENCHMARK.cells(options)
    ]
    blocks = {b.id: b for b in BENCHMARK.summarise(options, cells)}
    depth_map = blocks["depth_length_niah_single_1"]
    assert isinstance(depth_map, HeatMap)
    assert (list(depth_map.x), list(depth_map.y)) == (["4096", "8192"], ["0", "100"])
    assert depth_map.values == [[1.0, 1.0], [0.5, 0.5]]
    assert "depth_length_vt" not in blocks
    over_depths = blocks["task_length"]
    assert isinstance(over_depths, HeatMap)
    assert over_depths.values[0] == [0.75, 0.75]
    assert over_depths.counts[0] == [8, 8]


def test_drawn_depths_have_a_heat_map_of_twenty_bins() -> None:
    options = parse_options({"tasks": ["niah_single_1"], "lengths": [8192, 4096]})
    long, short = BENCHMARK.cells(options)
    cells = [
        CellScores(short, 4, {"ok": 4}, {1.0: 3, 0.0: 1}, {"0": {1.0: 2}, "95": {1.0: 1, 0.0: 1}}),
        CellScores(long, 1, {"ok": 1}, {0.0: 1}, {"50": {0.0: 1}}),
    ]
    block = {b.id: b for b in BENCHMARK.summarise(options, cells)}["depth_length_niah_single_1"]
    assert isinstance(block, HeatMap)
    assert (list(block.x), block.y[0], block.y[10], block.y[19]) == (["4096", "8192"], "0-5", "50-55", "95-100")
    assert (list(block.values[0]), list(block.values[10]), list(block.values[19])) == (
        [1.0, None],
        [None, 0.0],
        [0.5, None],
    )
    assert block.counts[19] == [2, 0]


def test_the_coverage_table_accounts_for_every_planned_sample() -> None:
    options = parse_options({"tasks": ["vt"], "lengths": [4096]})
    statuses = {"ok": 5, "cut_answer": 2, "empty_answer": 1, "truncated_prompt": 3, "error": 4}
    cell = CellScores(BENCHMARK.cells(options)[0], 20, statuses, {1.0: 5, 0.0: 3})
    table = {b.id: b for b in BENCHMARK.summarise(options, [cell])}["coverage"]
    assert isinstance(table, Table)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row == {
        "task": "vt", "length": 4096, "planned": 20, "scored": 8, "cut_answer": 2, "empty_answer": 1, "error": 4,
        "truncated_prompt": 3, "open": 5,
    }  # fmt: skip


def test_the_block_of_statistics_is_there_by_cell_and_by_task() -> None:
    blocks = _blocks(
        {"tasks": ["vt"], "lengths": [4096, 8192]}, {("vt", 4096): {1.0: 6, 0.8: 4}, ("vt", 8192): {0.0: 10}}
    )
    cell = dict(zip(blocks["statistics_cells"].columns, blocks["statistics_cells"].rows[0], strict=True))
    assert (cell["avg"], cell["min"], cell["p25"], cell["p50"], cell["perfect"]) == (92.0, 80.0, 80.0, 100.0, "6/10")
    task = dict(zip(blocks["statistics_tasks"].columns, blocks["statistics_tasks"].rows[0], strict=True))
    assert (task["n"], task["avg"], task["perfect"]) == (20, 46.0, "6/20")


def test_a_job_of_all_tasks_in_english_stands_beside_the_published_table() -> None:
    options = parse_options({"lengths": [4096]})
    cells = [CellScores(c, 2, {"ok": 2}, {1.0: 1, 0.5: 1}) for c in BENCHMARK.cells(options)]
    table = {b.id: b for b in BENCHMARK.summarise(options, cells)}["published"]
    assert isinstance(table, Table)
    assert list(table.rows[0]) == ["this job", 75.0, None, None, None, None, None]
    assert len(table.rows) == 1 + len(published().rows)
    assert "published" not in _blocks({"language": "da"}, {})


def test_an_extended_job_is_summarised_with_all_its_cells() -> None:
    options = parse_options({"tasks": ["vt"], "lengths": [4096]})
    more = BENCHMARK.cells(parse_options({"tasks": ["vt", "cwe"], "lengths": [4096, 8192]}))
    cells = [CellScores(c, 2, {"ok": 2}, {1.0: 2}) for c in more]
    block = {b.id: b for b in BENCHMARK.summarise(options, cells)}["task_length"]
    assert isinstance(block, HeatMap)
    assert (list(block.y), list(block.x)) == (["vt", "cwe"], ["4096", "8192"])


def test_notes_name_profile_language_stream_and_corpora() -> None:
    given = {"tasks": ["niah_single_2"], "lengths": [4096], "language": "fr", "essays": "proust"}
    notes = " | ".join(_blocks(given, {})["length_curve"].notes)
    for part in ("profile head", "seed 42", "independent", "language fr", "not reviewed", "essays proust", "Wilson"):
        assert part in notes
