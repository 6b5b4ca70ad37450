"""The options of RULER: one definition for API validation, command-line flags, the form and the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from benchmarks.errors import OptionsError
from benchmarks.ruler.presets import PRESETS
from benchmarks.ruler.tasks import ALIASES, TASKS, Haystack, Kind, Task, model_templates
from benchmarks.ruler.values import (
    MAX_BUDGET,
    distinct,
    expand_tasks,
    known_tasks,
    known_template,
    parse_budgets,
    parse_length,
    split_list,
)

MAX_LENGTH = 2_097_152
Profile = Literal["head", "paper"]
Stream = Literal["independent", "reference"]


Length = Annotated[int, Field(ge=128, le=MAX_LENGTH), BeforeValidator(parse_length)]
Depth = Annotated[float, Field(ge=0, le=100)]
Tokens = Annotated[int, Field(ge=1, le=MAX_BUDGET)]
AssetName = Annotated[str, Field(min_length=1, max_length=100)]


class RulerOptions(BaseModel):
    """What a RULER job varies. A field left out has its default, or what `preset` gives it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    preset: Literal["quick", "full", "paper"] | None = Field(
        default=None,
        description="Fills in options left out. quick: five tasks that need no download, 4096 and 8192 tokens, "
        "10 samples. full: all tasks and lengths, 500 samples. paper: the same with the prompts of profile `paper` "
        "in the reference's random stream.",
        examples=["quick"],
    )
    tasks: Annotated[
        list[str], BeforeValidator(expand_tasks), AfterValidator(distinct), AfterValidator(known_tasks)
    ] = Field(
        default_factory=lambda: list(TASKS),
        min_length=1,
        json_schema_extra={"items": {"type": "string", "enum": [*TASKS, *ALIASES]}},
        description="Tasks to run; `niah`, `niah_single`, `niah_multikey`, `qa` and `all` stand for several.",
        examples=[["niah_single_1", "vt"]],
    )
    lengths: Annotated[list[Length], BeforeValidator(split_list), AfterValidator(distinct)] = Field(
        default_factory=lambda: [4096, 8192, 16384, 32768, 65536, 131072],
        min_length=1,
        description="Context lengths in tokens, answer budget included; `128k` is 131072.",
        examples=[[4096, 8192], ["128k", "1m"]],
    )
    samples: int = Field(
        default=100, ge=1, le=1_000_000, description="Samples a cell (the reference's paper: 500).", examples=[500]
    )
    seed: int = Field(default=42, ge=0, le=2**32 - 1, description="Seed of all random choices.", examples=[42])
    profile: Profile = Field(
        default="head",
        description="Which RULER: `head` (reference commit c3f5e3b) or `paper` (b28e81a, as in published tables).",
    )
    language: str = Field(
        default="en",
        pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$",
        description="Language of prompts, words and noise: `en`, `da`, `de`, `es`, `fr`, or another one that is "
        "registered as the asset `ruler-language-<language>`.",
        examples=["da"],
    )
    stream: Stream = Field(
        default="independent",
        description="`independent`: each sample is drawn from (seed, cell, index) alone. `reference`: the "
        "reference's one random stream a cell, for byte-equal data sets.",
    )
    model_template: Annotated[str, AfterValidator(known_template)] = Field(
        default="base",
        description="Chat template put around the prompt: a name of the reference, or a text with "
        "`{task_template}` in it. `base` adds nothing; chat APIs apply their own.",
        examples=["meta-llama3"],
    )
    depths: Annotated[list[Depth], BeforeValidator(split_list), AfterValidator(distinct)] | None = Field(
        default=None,
        min_length=1,
        description="Needle depths in percent, one cell each (NIAH tasks). Left out: each needle at one of the "
        "reference's 40 depths, drawn at random.",
        examples=[[0, 25, 50, 75, 100]],
    )
    num_needle_k: int | None = Field(
        default=None, ge=1, le=1000, description="Keys hidden (NIAH); left out: the task's own number.", examples=[4]
    )
    num_needle_v: int | None = Field(
        default=None, ge=1, le=1000, description="Values a key (NIAH); left out: the task's own number.", examples=[2]
    )
    num_needle_q: int | None = Field(
        default=None, ge=1, le=1000, description="Keys asked for (NIAH); left out: the task's own number.", examples=[2]
    )
    key_kind: Kind | None = Field(
        default=None, description="What keys are (NIAH): `words`, `numbers` or `uuids`; left out: the task's own."
    )
    value_kind: Kind | None = Field(
        default=None, description="What values are (NIAH): `words`, `numbers` or `uuids`; left out: the task's own."
    )
    haystack: Haystack | None = Field(
        default=None,
        description="What needles (NIAH) or chains (vt: `noise` or `essay`) are hidden in: `noise`, `essay` or "
        "`needle`; left out: the task's own.",
    )
    num_chains: int = Field(default=1, ge=1, le=100, description="Chains of assignments (vt).", examples=[2])
    num_hops: int = Field(default=4, ge=1, le=100, description="Assignments after the first in a chain (vt).")
    freq_cw: int = Field(default=30, ge=2, le=10_000, description="How often each common word is listed (cwe).")
    freq_ucw: int = Field(default=3, ge=1, le=10_000, description="How often each uncommon word is listed (cwe).")
    num_cw: int = Field(default=10, ge=1, le=100, description="Common words, all asked for (cwe).")
    num_fewshot: int = Field(default=1, ge=0, le=10, description="Worked examples before the question (cwe).")
    alpha: float = Field(default=2.0, gt=1, le=10, description="Skew of the words' frequencies (fwe); lower is harder.")
    coded_wordlen: int = Field(default=6, ge=2, le=50, description="Letters in a coded word (fwe).")
    vocab_size: int | None = Field(
        default=None, ge=4, le=1_000_000, description="Coded words (fwe); left out: one for each 50 tokens of length."
    )
    documents: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Documents in a prompt (qa); left out: as many as fit."
    )
    output_tokens: Annotated[Tokens | dict[str, Tokens] | None, BeforeValidator(parse_budgets)] = Field(
        default=None,
        description="Answer budget in tokens, one for all tasks or by task; left out: 128 NIAH, 30 vt, 120 cwe, "
        "50 fwe, 32 qa.",
        examples=[256, {"cwe": 200}],
    )
    buffer: int = Field(
        default=0, ge=0, le=MAX_LENGTH, description="Tokens of the length kept free, beside the answer budget."
    )
    threshold: float = Field(
        default=85.6,
        gt=0,
        le=100,
        description="Mean score in percent from which a length counts as effective (Llama2-7B at 4K in the paper).",
    )
    effective_length: Literal["every", "largest"] = Field(
        default="every",
        description="Effective context length: `every` = the largest length up to which all tested ones reach the "
        "threshold, `largest` = the largest one that reaches it (the reference's rule).",
    )
    essays: AssetName | None = Field(
        default=None, description="Asset with the essays' text; left out: `ruler-essays-<language>`."
    )
    squad: AssetName | None = Field(
        default=None, description="Asset with SQuAD v2 data (qa_1); left out: `ruler-squad-<language>`."
    )
    hotpotqa: AssetName | None = Field(
        default=None, description="Asset with HotpotQA data (qa_2); left out: `ruler-hotpotqa-<language>`."
    )
    english_words: AssetName | None = Field(
        default=None,
        description="Asset with the reference's english_words.json (cwe, language `en`); "
        "left out: `ruler-english-words` when it is registered.",
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_in_preset(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        preset = PRESETS.get(data["preset"], {}) if isinstance(data.get("preset"), str) else {}
        return {**preset, **data}

    def output_tokens_of(self, task: str) -> int:
        """The answer budget of a task in tokens."""
        if isinstance(self.output_tokens, int):
            return self.output_tokens
        return (self.output_tokens or {}).get(task, TASKS[task].output_tokens)

    def template(self) -> str:
        """The text of the model template, with `{task_template}` in it."""
        return model_templates().get(self.model_template, self.model_template)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """A task with the options applied: what a generator reads. Tokens of `output_tokens` count toward the length."""

    task: Task
    haystack: Haystack | None
    key_kind: Kind
    value_kind: Kind
    keys: int
    values: int
    queries: int
    output_tokens: int


def settings(options: RulerOptions, task_name: str) -> TaskSettings:
    """Resolve a task's settings. As in the reference, there are never fewer keys than queries unless `num_needle_k`
    was given (then too few are an error, see `checks`)."""
    task = TASKS[task_name]
    queries = options.num_needle_q or task.num_needle_q
    return TaskSettings(
        task=task,
        haystack=(options.haystack or task.haystack) if task.haystack else None,
        key_kind=options.key_kind or task.key_kind,
        value_kind=options.value_kind or task.value_kind,
        keys=options.num_needle_k or max(task.num_needle_k, queries),
        values=options.num_needle_v or task.num_needle_v,
        queries=queries,
        output_tokens=options.output_tokens_of(task_name),
    )


def parse_options(data: dict[str, Any]) -> RulerOptions:
    """RulerOptions from plain values; raises OptionsError with the first thing that is wrong."""
    try:
        return RulerOptions.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise OptionsError(_path(first["loc"]), first["input"], first["msg"]) from error


def _path(location: Sequence[str | int]) -> str:
    return ".".join(str(part) for part in location)
