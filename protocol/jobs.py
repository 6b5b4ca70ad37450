"""Jobs: a benchmark with options, run on one model."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from protocol.common import JsonObject, Message, Reply


class JobState(StrEnum):
    """States of a job. The last three are final (a retry or an extension opens them again)."""

    RUNNING = "running"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    COMPLETED_WITH_ERRORS = "completed_with_errors"


FINAL_STATES = frozenset({JobState.CANCELLED, JobState.COMPLETED, JobState.COMPLETED_WITH_ERRORS})


class Status(StrEnum):
    """How a sample ended. See `CLASS_OF` for what each is worth."""

    OK = "ok"
    CUT_ANSWER = "cut_answer"
    EMPTY_ANSWER = "empty_answer"
    TRUNCATED_PROMPT = "truncated_prompt"
    CONTEXT_OVERFLOW = "context_overflow"
    THINKING_CUT = "thinking_cut"
    NO_TOKENS = "no_tokens"
    ERROR = "error"


StatusClass = Literal["scored", "noted", "not_a_measurement"]

CLASS_OF: dict[Status, StatusClass] = {
    Status.OK: "scored",
    Status.CUT_ANSWER: "noted",
    Status.EMPTY_ANSWER: "noted",
    Status.TRUNCATED_PROMPT: "not_a_measurement",
    Status.CONTEXT_OVERFLOW: "not_a_measurement",
    Status.THINKING_CUT: "not_a_measurement",
    Status.NO_TOKENS: "not_a_measurement",
    Status.ERROR: "not_a_measurement",
}
MEASURED = frozenset(s for s, c in CLASS_OF.items() if c != "not_a_measurement")


class RetryPolicy(Message):
    """Transient failures (429, 408, 5xx, connection, timeout, empty 200): exponential backoff with full jitter."""

    max_attempts: int = Field(default=5, ge=1, le=100)
    base_seconds: float = Field(default=1.0, ge=0, le=86_400)
    max_seconds: float = Field(default=120.0, gt=0, le=86_400)


class Run(Message):
    """How samples are asked, whatever the benchmark."""

    thinking_budget: int = Field(
        default=0, ge=0, le=10_000_000, description="Tokens added to the answer budget for thinking."
    )
    canary: bool = Field(
        default=False, description="Put a code word at the very start of each prompt to prove truncation."
    )
    count_invalid: Literal["exclude", "zero"] = Field(
        default="exclude", description="`zero` counts what is not a measurement as 0; the result says so."
    )
    allow_overflow: bool = Field(default=False, description="Accept lengths beyond the model's probed window.")
    answer_prefix: Literal["suffix", "prefill", "none"] = Field(
        default="suffix",
        description="`suffix` puts the benchmark's answer prefix at the end of the prompt, `prefill` starts the "
        "assistant's turn with it, `none` leaves it out.",
    )
    generation: JsonObject = Field(default_factory=dict, description="Overrides of the model's generation parameters.")
    debug: bool = Field(default=False, description="Keep prompt head and tail of the first sample of each cell.")


class JobRequest(Message):
    """Submits a job."""

    benchmark: str = Field(description="`ruler`, `dataset`, …; see `GET /v1/benchmarks`.", examples=["ruler"])
    model: str = Field(description="Name of a registered model.", examples=["smollm2"])
    options: JsonObject = Field(
        default_factory=dict,
        description="The benchmark's options; their schema is at `GET /v1/benchmarks/{name}`.",
        examples=[{"tasks": ["niah_single_1", "niah_single_2"], "lengths": [4096, 8192], "samples": 20}],
    )
    run: Run = Field(default_factory=Run)
    name: str | None = Field(default=None, max_length=200)
    labels: dict[str, str] = Field(default_factory=dict)
    priority: int = Field(default=0, ge=-1000, le=1000, description="Higher goes first.")
    max_concurrency: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Calls in flight for this job, over all workers."
    )
    retry: RetryPolicy = Field(default_factory=RetryPolicy)


class JobChange(Message):
    """What may change while a job runs (`PATCH /v1/jobs/{id}`). Fields left out stay as they are."""

    name: str | None = Field(default=None, max_length=200)
    priority: int | None = Field(default=None, ge=-1000, le=1000)
    max_concurrency: int | None = Field(default=None, ge=1, le=1_000_000)
    retry: RetryPolicy | None = None


class Counts(Reply):
    """The denominator beside every score. planned = the sum of all the others but `noted` and `by_status`' details."""

    planned: int = 0
    scored: int = Field(default=0, description="Measurements, noted ones included.")
    noted: int = Field(default=0, description="Of the scored ones: cut or empty answers.")
    not_a_measurement: int = Field(default=0, description="Ended without a measurement, errors aside.")
    failed: int = Field(default=0, description="Ended with status `error`.")
    in_flight: int = 0
    waiting: int = Field(default=0, description="Wait for their next try.")
    pending: int = Field(default=0, description="Not handed out yet.")
    by_status: dict[str, int] = Field(default_factory=dict)

    @property
    def done(self) -> int:
        return self.scored + self.not_a_measurement + self.failed


class Usage(Reply):
    """Sums over all attempts, failed ones included."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    thinking_tokens: int = 0
    calls: int = 0
    cost: float | None = None
    currency: str | None = None


class WaitingReason(Reply):
    """Why samples wait, with the next try."""

    reason: str
    count: int
    next_try: datetime | None = None


class CellProgress(Reply):
    """One cell of a job's grid."""

    cell: int
    task: str
    length: int
    variant: JsonObject = Field(default_factory=dict)
    counts: Counts
    mean: float | None = Field(default=None, description="Mean score of the measurements, 0 to 1.")


class Job(Reply):
    """A job as the service shows it."""

    id: str
    name: str | None = None
    benchmark: str
    benchmark_version: str
    model: str
    state: JobState
    options: JsonObject = Field(description="All options, defaults filled in.")
    run: Run
    labels: dict[str, str] = Field(default_factory=dict)
    priority: int
    max_concurrency: int | None
    retry: RetryPolicy
    assets: dict[str, str] = Field(default_factory=dict, description="Role to SHA-256 of each asset used.")
    asset_names: dict[str, str] = Field(default_factory=dict, description="Role to the name it was registered under.")
    counts: Counts
    mean: float | None = Field(default=None, description="Mean score over all measurements, 0 to 1.")
    usage: Usage = Field(default_factory=Usage)
    waiting: list[WaitingReason] = Field(default_factory=list)
    stalled: str | None = Field(default=None, description="Set when calls are in flight and nothing moves.")
    warnings: list[str] = Field(default_factory=list)
    last_score: float | None = None
    samples_per_second: float | None = Field(default=None, description="Over the last minute.")
    eta_seconds: float | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class JobDetail(Job):
    """A job with its cells."""

    cells: list[CellProgress] = Field(default_factory=list)


class Extension(Message):
    """Extends a job without redoing what is done (`POST /v1/jobs/{id}/extend`)."""

    samples: int | None = Field(default=None, ge=1, description="New number of samples a cell; not fewer than now.")
    lengths: list[int] | None = Field(default=None, description="Further lengths.")
    tasks: list[str] | None = Field(default=None, description="Further tasks.")


class Retry(Message):
    """Asks samples again (`POST /v1/jobs/{id}/retry`); every good result stays."""

    statuses: list[Status] = Field(
        default_factory=lambda: [Status.ERROR],
        description="Ask samples again that ended so; left out: those that failed, or none where `samples` are named.",
    )
    samples: list[tuple[int, int]] = Field(
        default_factory=list, description="(cell, index) pairs to ask again whatever their status."
    )


class Clone(Message):
    """Submits a copy of a job with changes (`POST /v1/jobs/{id}/clone`)."""

    model: str | None = None
    options: JsonObject = Field(default_factory=dict, description="Merged over the job's options.")
    run: JsonObject = Field(default_factory=dict, description="Merged over how the job's samples were asked.")
    name: str | None = None


class Page(Reply):
    """A page of a list."""

    next_cursor: str | None = None


class JobPage(Page):
    items: list[Job]


class Summary(Reply):
    """A job's scores as blocks: tables, heat maps, curves and verdicts, each with `kind`, `id`, `title`, `notes`."""

    job: str
    benchmark: str
    benchmark_version: str
    final: bool = Field(description="True when the job is finished.")
    count_invalid: Literal["exclude", "zero"]
    counts: Counts
    notes: list[str] = Field(default_factory=list, description="What to know before reading any figure.")
    blocks: list[JsonObject]


class Event(Reply):
    """A line of the event stream (`GET /v1/jobs/{id}/events`)."""

    id: int
    kind: str = Field(description="progress, state, warning, stalled, …")
    at: datetime
    data: JsonObject = Field(default_factory=dict)


class EventPage(Page):
    """`GET /v1/jobs/{id}/events?poll=1`. `next_cursor` is the `Last-Event-ID` to go on from."""

    items: list[Event] = Field(default_factory=list)
