"""What a RULER job's scores say: presentation-neutral blocks, every figure with its method and its denominator."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.base import Block, CellScores, Curve, HeatMap, Series, Table, Verdict
from benchmarks.metrics import COMBINED_NOTE, INTERVAL_NOTE, Estimate, combine, size
from benchmarks.ruler import languages
from benchmarks.ruler.aggregates import Grid, effective_length, make_grid, weights
from benchmarks.ruler.depths import depth_maps
from benchmarks.ruler.options import RulerOptions, settings
from benchmarks.ruler.published import published
from benchmarks.ruler.summary_tables import coverage, interval_text, percent, statistics_of_cells, statistics_of_tasks
from benchmarks.ruler.tasks import TASKS

_RULES = {
    "every": "the largest tested length up to which every tested length reaches the threshold",
    "largest": "the largest tested length that reaches the threshold (the reference's rule)",
}


def summarise(options: RulerOptions, cells: Sequence[CellScores]) -> list[Block]:
    """All blocks of a job, the conclusion first."""
    grid = make_grid(options, cells)
    blocks: list[Block] = [
        effective_verdict(options, grid),
        averages(grid),
        length_curve(options, grid),
        heat_map(grid),
        score_table(grid),
        category_table(grid),
        *depth_maps(options, cells),
        statistics_of_tasks(grid),
        statistics_of_cells(cells),
        coverage(cells),
    ]
    if len(grid.tasks) == len(TASKS) and options.language == "en":
        blocks.append(comparison(grid))
    return blocks


def provenance(options: RulerOptions) -> list[str]:
    """What was asked: profile, language, random stream, corpora by the names they are registered under."""
    tasks = [settings(options, task) for task in options.tasks]
    corpora = ["essays"] if any(task.haystack == "essay" for task in tasks) else []
    corpora += [task.task.dataset for task in tasks if task.task.dataset]
    named = [f"{role} {getattr(options, role) or f'ruler-{role}-{options.language}'}" for role in corpora]
    notes = [
        f"RULER profile {options.profile}, seed {options.seed}, {options.stream} random stream",
        _language_note(options.language),
        "lengths counted with the model's tokenizer, answer budget included",
    ]
    return [*notes, f"assets: {', '.join(named)}"] if named else notes


def _language_note(code: str) -> str:
    if code not in languages.names():
        return f"language {code} of the asset ruler-language-{code}"
    language = languages.load(code)
    return f"language {code} version {language.version}" + (
        "" if language.reviewed else ", not reviewed by a native speaker"
    )


def measured_means(grid: Grid) -> list[tuple[int, Estimate]]:
    """(length, mean over the tasks) where every task has measurements, by rising length."""
    return [(length, e) for length in grid.lengths if (e := grid.mean_at(length)) is not None]


def effective_verdict(options: RulerOptions, grid: Grid) -> Verdict:
    """The effective context length; its interval is what the bounds of the means' intervals give by the same rule."""
    means = measured_means(grid)
    rule, threshold = options.effective_length, options.threshold
    notes = [f"{_RULES[rule]} of {threshold:g} (mean over {len(grid.tasks)} tasks)"]
    if len(grid.tasks) != len(TASKS):
        notes.append("not RULER's figure: it is defined over all 13 tasks")
    if len(means) < len(grid.lengths):
        notes.append(f"{len(means)} of {len(grid.lengths)} lengths have measurements of every task so far")
    notes += provenance(options)
    title = "Effective context length"
    if rule == "every":  # a gap below a length leaves it open whether all shorter ones reach the threshold
        means = [pair for pair, length in zip(means, grid.lengths, strict=False) if pair[0] == length]
    if not means:
        return Verdict("effective_length", title, None, "tokens", notes=notes)
    found = effective_length([(length, e.mean) for length, e in means], threshold, rule)
    low = effective_length([(length, e.mean if e.low is None else e.low) for length, e in means], threshold, rule)
    high = effective_length([(length, e.mean if e.high is None else e.high) for length, e in means], threshold, rule)
    if found == means[-1][0]:
        notes.append("the largest measured length reaches the threshold; the model may reach further")
    notes.append("interval: the same rule on the lower and upper ends of the means' 95% intervals; 0 = none reaches it")
    value = found if found is not None else f"< {means[0][0]}"
    return Verdict("effective_length", title, value, "tokens", (float(low or 0), float(high or 0)), notes)


def averages(grid: Grid) -> Table:
    """Mean over lengths, plain and weighted (RULER's Avg., wAvg. (inc) and wAvg. (dec))."""
    means = measured_means(grid)
    complete = len(means) == len(grid.lengths)
    estimates = [e for _, e in means]
    rows: list[list[str | float | int | None]] = []
    for name, shares in (
        ("average", None),
        ("wAvg (inc)", weights(len(means), "increasing")),
        ("wAvg (dec)", weights(len(means), "decreasing")),
    ):
        total = combine(estimates, shares) if complete and estimates else None
        rows.append([name, percent(total), interval_text(total), len(means)])
    notes = [
        "weights 1..n (inc) and n..1 (dec) over the lengths from short to long",
        "computed once every length has measurements of every task",
        COMBINED_NOTE,
    ]
    return Table("averages", "Average over lengths, %", ("figure", "mean", "95% interval", "lengths"), rows, notes)


def length_curve(options: RulerOptions, grid: Grid) -> Curve:
    """Score against length: the mean over the tasks, and each task."""
    series = [Series("mean", [_point(length, grid.mean_at(length)) for length in grid.lengths])]
    series += [Series(task, [_point(n, grid.estimates[task, n]) for n in grid.lengths]) for task in grid.tasks]
    notes = [
        f"threshold {options.threshold:g} %",
        "mean: plain mean of the tasks, where each has measurements",
        INTERVAL_NOTE,
        COMBINED_NOTE,
        *provenance(options),
    ]
    return Curve(
        "length_curve",
        "Score against context length",
        "context length, tokens",
        "mean score",
        series,
        log_x=True,
        threshold=options.threshold / 100,
        notes=notes,
    )


def _point(length: int, value: Estimate | None) -> tuple[float, float | None, float | None, float | None]:
    return (float(length), None, None, None) if value is None else (float(length), value.mean, value.low, value.high)


def heat_map(grid: Grid) -> HeatMap:
    """Mean score of each task at each length."""
    return HeatMap(
        "task_length",
        "Mean score by task and context length",
        "context length, tokens",
        "task",
        [str(length) for length in grid.lengths],
        list(grid.tasks),
        [[e.mean if (e := grid.estimates[t, n]) else None for n in grid.lengths] for t in grid.tasks],
        [[size(grid.counts[t, n]) for n in grid.lengths] for t in grid.tasks],
    )


def score_table(grid: Grid) -> Table:
    """Task by length in percent with intervals, the mean over tasks last."""
    rows: list[list[str | float | int | None]] = [
        [task, *(_cell(grid.estimates[task, length]) for length in grid.lengths)] for task in grid.tasks
    ]
    rows.append([f"mean of {len(grid.tasks)} tasks", *(_cell(grid.mean_at(length)) for length in grid.lengths)])
    notes = [INTERVAL_NOTE, COMBINED_NOTE]
    columns = ("task", *(str(length) for length in grid.lengths))
    return Table("scores", "Mean score by task and context length, % [95% interval]", columns, rows, notes)


def _cell(value: Estimate | None) -> str | None:
    if value is None:
        return None
    interval = interval_text(value)
    return f"{value.mean * 100:.2f}" + (f" [{interval}]" if interval else "")


def category_table(grid: Grid) -> Table:
    """Plain means of the tasks of each category, by length."""
    rows: list[list[str | float | int | None]] = [
        [name, len(tasks), *(_cell(grid.mean_at(length, tasks)) for length in grid.lengths)]
        for name, tasks in grid.categories().items()
    ]
    columns = ("category", "tasks", *(str(length) for length in grid.lengths))
    return Table("categories", "Mean score by category, % [95% interval]", columns, rows, [COMBINED_NOTE])


def comparison(grid: Grid) -> Table:
    """This job beside the reference's published means, at the lengths of that table."""
    table = published()
    own = {length: percent(grid.mean_at(length)) for length in grid.lengths}
    rows: list[list[str | float | int | None]] = [["this job", *(own.get(length) for length in table.lengths)]]
    rows += [[row.model, *row.means] for row in table.rows]
    columns = ("model", *(str(length) for length in table.lengths))
    notes = [f"published figures: {table.source}", "other prompts, templates and numbers of samples: compare with care"]
    return Table("published", "Beside the reference's published means, %", columns, rows, notes)
