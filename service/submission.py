"""The full check of a job before anything is queued.

A plan is a job that can run: options valid, assets there, every task fits its shorter lengths, every length fits the
model's window, and the model answered a probe. Whatever can't work is refused with field, value and what would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks import registry
from benchmarks.base import AssetNeed, Benchmark, Cell
from benchmarks.errors import BenchmarkError, InvalidAsset, MissingAsset, OptionsError, UnknownBenchmark
from protocol.common import FieldProblem, JsonObject
from protocol.jobs import JobRequest
from protocol.models import Generation, Model, Probe
from service import assets, models
from service.errors import Invalid, NotFound
from service.problems import fields_of, shown
from service.sources import TOKENIZER, Sources, SourceSpec

MAX_CELLS = 100_000
MAX_SAMPLES = 1_000_000_000
_MAX_CELL = 2**31 - 1
_SOON_BUILT = 16_384  # tokens


@dataclass(frozen=True, slots=True)
class Plan:
    """A job that passed every check, ready to be inserted."""

    request: JobRequest
    benchmark: Benchmark
    options: BaseModel
    cells: list[Cell]
    model: Model
    assets: dict[str, str]
    asset_names: dict[str, str]
    warnings: list[str] = field(default_factory=list)
    facts: JsonObject | None = None
    """What the probe had found when the job was first submitted (an extension keeps to it)."""

    @property
    def options_json(self) -> JsonObject:
        """All options, defaults filled in."""
        return self.options.model_dump(mode="json")


def refuse(problems: Sequence[FieldProblem]) -> Invalid:
    """One error of several problems."""
    return Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), errors=problems)


def benchmark_of(name: str) -> Benchmark:
    """The benchmark; raises Invalid naming those there are."""
    try:
        return registry.get(name)
    except UnknownBenchmark as error:
        raise refuse([FieldProblem(field="benchmark", value=name, message=str(error))]) from None


def parse_options(benchmark: Benchmark, options: Mapping[str, Any]) -> BaseModel:
    """Options with their defaults; raises Invalid with every field that is wrong."""
    try:
        return benchmark.options_model.model_validate(options)
    except ValidationError as error:
        raise refuse(fields_of(error.errors(), ("options",), benchmark.options_model.model_fields)) from error


def make_cells(benchmark: Benchmark, options: BaseModel) -> list[Cell]:
    """The job's grid; raises Invalid."""
    try:
        cells = benchmark.cells(options)
    except OptionsError as error:
        raise refuse([_of_options(error)]) from error
    if not cells:
        raise refuse([FieldProblem(field="options", message="make no cell: there is nothing to ask")])
    if len(cells) > MAX_CELLS:
        message = f"make {len(cells):,} cells, more than {MAX_CELLS:,}; submit several jobs"
        raise refuse([FieldProblem(field="options", message=message)])
    if sum(cell.size for cell in cells) > MAX_SAMPLES or any(cell.size > _MAX_CELL for cell in cells):
        message = f"make {sum(cell.size for cell in cells):,} samples, more than {MAX_SAMPLES:,}"
        raise refuse([FieldProblem(field="options", message=message)])
    return cells


async def make_plan(connection: AsyncConnection, request: JobRequest) -> Plan:
    """Everything that needs only the database: benchmark, options, grid, model, window, assets. Raises Invalid."""
    benchmark = benchmark_of(request.benchmark)
    try:
        model = await models.get(connection, request.model)
    except NotFound as error:
        raise refuse([FieldProblem(field="model", value=request.model, message=error.detail)]) from None
    options = parse_options(benchmark, request.options)
    cells = make_cells(benchmark, options)
    found, names, problems = await resolve(connection, benchmark, options)
    problems += list(_run_problems(request, model))
    problems += _tokenizer_problems(model)
    if problems:
        raise refuse(problems)
    if model.tokenizer_sha256 is not None:
        found[TOKENIZER] = model.tokenizer_sha256
        names[TOKENIZER] = (model.spec.tokenizer.asset if model.spec.tokenizer else None) or ""
    return Plan(request, benchmark, options, cells, model, found, names)


async def resolve(
    connection: AsyncConnection, benchmark: Benchmark, options: BaseModel
) -> tuple[dict[str, str], dict[str, str], list[FieldProblem]]:
    """Role to hash, role to name, and what is missing, of the assets that the options need."""
    hashes: dict[str, str] = {}
    names: dict[str, str] = {}
    problems: list[FieldProblem] = []
    for need in benchmark.needs(options):
        asset = await assets.find(connection, need.name)
        if asset is not None and asset.kind.value == need.kind:
            hashes[need.role], names[need.role] = asset.sha256, need.name
        elif asset is not None or not need.optional:
            problems.append(_missing(need, None if asset is None else asset.kind.value))
    return hashes, names, problems


def _missing(need: AssetNeed, kind: str | None) -> FieldProblem:
    what = "is not registered" if kind is None else f"is a {kind}, not a {need.kind}"
    return FieldProblem(
        field=f"options.{need.role}", value=need.name, message=f"asset {need.name!r} {what}; install it: {need.hint}"
    )


def _tokenizer_problems(model: Model) -> list[FieldProblem]:
    if model.spec.tokenizer is not None:
        return []
    message = (
        f"model {model.name!r} has no tokenizer, so no prompt can be given an exact length; "
        f"set one: fathom model set {model.name} --tokenizer tokenizer.json"
    )
    return [FieldProblem(field="model", value=model.name, message=message)]


def _run_problems(request: JobRequest, model: Model) -> Iterator[FieldProblem]:
    """What is wrong with `run`: generation overrides, a prefill that the server can't do."""
    merged = {**model.spec.generation.model_dump(mode="json"), **request.run.generation}
    try:
        Generation.model_validate(merged)
    except ValidationError as error:
        yield from fields_of(error.errors(), ("run", "generation"), Generation.model_fields)
    if request.run.answer_prefix == "prefill" and finding(model.probe, "prefill") is False:
        message = f"the server of model {model.name!r} can't continue an assistant's turn; use `suffix`"
        yield FieldProblem(field="run.answer_prefix", value="prefill", message=message)


def finding(probe: Probe | None, name: str) -> Any:
    """A probe's finding, or None."""
    return probe.findings[name].value if probe is not None and name in probe.findings else None


def window_of(model: Model) -> tuple[int | None, str]:
    """The model's context window in tokens, and how it is known."""
    if model.spec.context_window is not None:
        return model.spec.context_window, "as registered"
    found = finding(model.probe, "context_window")
    if isinstance(found, int):
        return found, "as the probe found"
    return None, "unknown"


def check_window(plan: Plan) -> None:
    """Raises Invalid with the numbers when a length, with the thinking budget, exceeds the model's window."""
    window, how = window_of(plan.model)
    thinking = plan.request.run.thinking_budget
    if window is None:
        plan.warnings.append(f"The context window of model {plan.model.name} is unknown: lengths were not checked.")
        return
    over = sorted({cell.length for cell in plan.cells if cell.length + thinking > window})
    if not over:
        return
    budget = f" + {thinking:,} for thinking" if thinking else ""
    which = ", ".join(f"{length:,}" for length in over)
    if plan.request.run.allow_overflow:
        plan.warnings.append(f"Beyond the model's window of {window:,} tokens ({how}): {which}{budget}.")
        return
    message = (
        f"{which} tokens{budget} exceed the window of model {plan.model.name!r}: {window:,} ({how}); "
        f"at most {max(window - thinking, 0):,}, or set run.allow_overflow"
    )
    raise refuse([FieldProblem(field="options.lengths", value=over[0] if len(over) == 1 else over, message=message)])


def check_tokenizer(plan: Plan) -> None:
    """Warns when the probe found that the tokenizer counts otherwise than the model's server. Raises Invalid when the
    server is to count and cannot."""
    probe, name = plan.model.probe, plan.model.name
    tokenizer = plan.model.spec.tokenizer
    if tokenizer is not None and tokenizer.kind == "server" and finding(probe, "tokenize") is False:
        message = (
            f"the tokenizer of model {name!r} is its server's own, but the server has no path that counts tokens; "
            f"give it a file: fathom model set {name} --tokenizer tokenizer.json"
        )
        raise refuse([FieldProblem(field="model", value=name, message=message)])
    if finding(probe, "tokenizer_fits") is False and probe is not None:
        how = probe.findings["tokenizer_fits"].how
        plan.warnings.append(
            f"The tokenizer does not count like the server of model {plan.model.name} ({how}): lengths are not exact, and "
            "prompts may be taken for truncated."
        )


async def check_samples(sources: Sources, plan: Plan) -> None:
    """Build samples of every task at its shorter lengths. Raises Invalid when one cannot be built."""
    if TOKENIZER not in plan.assets:
        plan.warnings.append("The tokenizer is the model server's own: lengths are checked by the worker.")
        return
    try:
        problems = await sources.check(source_spec(plan), worth_checking(plan.cells))
    except OptionsError as error:
        raise refuse([_of_options(error)]) from error
    except (MissingAsset, InvalidAsset) as error:
        raise refuse([FieldProblem(field=f"options.{error.role}", message=error.message)]) from error
    except BenchmarkError as error:
        raise refuse([FieldProblem(field="options", message=str(error))]) from error
    if problems:
        raise refuse([_of_options(problem) for problem in problems])


def source_spec(plan: Plan) -> SourceSpec:
    overhead = facts_of(plan).get("overhead_tokens")
    return SourceSpec(
        plan.benchmark, plan.options, plan.assets, plan.asset_names, overhead if isinstance(overhead, int) else 0
    )


def facts_of(plan: Plan) -> JsonObject:
    """What is known of the model, by the probe's keys; stays with the job."""
    if plan.facts is not None:
        return plan.facts
    facts: JsonObject = {}
    for key, found in (plan.model.probe.findings if plan.model.probe is not None else {}).items():
        facts[key] = list(found.value) if isinstance(found.value, list) else found.value
    return facts


def worth_checking(cells: Sequence[Cell]) -> list[Cell]:
    """For each task and variant the cell of the smallest length, and for each task one of every other length that is
    soon built, since what a task needs may grow with the length (RULER's common words are listed more often from 4096
    on), and one of the largest, where words and keys run out first."""
    smallest: dict[str, Cell] = {}
    largest: dict[str, Cell] = {}
    others: dict[tuple[str, int], Cell] = {}
    for cell in cells:
        key = f"{cell.task} {sorted(cell.variant.items())}"
        if key not in smallest or cell.length < smallest[key].length:
            smallest[key] = cell
        if cell.task not in largest or cell.length > largest[cell.task].length:
            largest[cell.task] = cell
        if cell.length <= _SOON_BUILT:
            others.setdefault((cell.task, cell.length), cell)
    others |= {(cell.task, cell.length): cell for cell in largest.values()}
    chosen = list(smallest.values())
    seen = {(cell.task, cell.length) for cell in chosen}
    return chosen + [cell for key, cell in others.items() if key not in seen]


def _of_options(error: OptionsError) -> FieldProblem:
    return FieldProblem(field=f"options.{error.field}", value=shown(error.value), message=error.message)
