"""The worker's side of the API: register, claim, report, heartbeat.

All calls are idempotent. A lease is the time-limited right to run a range of samples of one cell; its id is the
fencing token. Times in replies are durations: no clock but the database's decides.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from protocol.common import JsonObject, Message, Reply, Sha256
from protocol.jobs import RetryPolicy, Run, Status
from protocol.models import ModelRequest, Probe


class WorkerRegistration(Message):
    """`POST /v1/workers`. One row a process start: `boot` makes a repeated call idempotent."""

    boot: UUID
    name: str = Field(max_length=200)
    protocol: int
    version: str
    host: str
    pid: int
    concurrency: int = Field(ge=1)
    labels: dict[str, str] = Field(default_factory=dict)


class WorkerRegistered(Reply):
    id: int
    lease_seconds: float
    heartbeat_seconds: float


class Worker(Reply):
    """A worker as the service shows it."""

    id: int
    name: str
    host: str
    pid: int
    version: str
    concurrency: int
    labels: dict[str, str]
    state: Literal["up", "draining", "gone"]
    in_flight: int = 0
    done: int = 0
    models: dict[str, JsonObject] = Field(
        default_factory=dict, description="By model name, as of its last heartbeat: limit, in_flight, reason, …"
    )
    registered_at: datetime
    last_seen_at: datetime


class WorkerList(Reply):
    items: list[Worker]


class ClaimRequest(Message):
    """`POST /v1/workers/{id}/claims`: long-polls until there is work or `wait_seconds` are over."""

    want: int = Field(ge=1, le=10_000, description="How many samples can start now.")
    max_leases: int = Field(default=64, ge=1, le=1000)
    wait_seconds: float = Field(default=20, ge=0, le=60)
    known_jobs: list[str] = Field(
        default_factory=list, description="Jobs whose `JobSpec` the worker still holds, each as `<id>@<stamp>`."
    )
    avoid_models: list[str] = Field(default_factory=list, description="Models this worker has at their own limit now.")


class CellSpec(Reply):
    """A cell as the benchmark made it."""

    cell: int
    task: str
    length: int
    variant: JsonObject = Field(default_factory=dict)
    size: int


class JobSpec(Reply):
    """All that a worker needs to build and ask a job's samples; sent with leases of jobs that the claim did not name."""

    id: str
    benchmark: str
    benchmark_version: str
    options: JsonObject
    run: Run
    retry: RetryPolicy
    model_name: str
    model: ModelRequest
    model_facts: JsonObject = Field(
        default_factory=dict,
        description="Probe findings by name: context_window, overhead_tokens, model_id, engine, …",
    )
    assets: dict[str, Sha256] = Field(
        default_factory=dict, description="Role to SHA-256; role `tokenizer` counts prompts."
    )
    asset_names: dict[str, str] = Field(default_factory=dict)
    stamp: str = Field(default="", description="Changes whenever something above does.")


class Lease(Reply):
    """The right to run `samples` of one cell. `samples` are (index, generation, attempt), attempt counting from 1."""

    id: int
    job: str
    cell: CellSpec
    samples: list[tuple[int, int, int]]
    seconds: float = Field(description="Runs out that long after the claim was sent, unless renewed.")


class ProbeOrder(Reply):
    """A probe that a worker is asked to make: it alone reaches the model's machine."""

    id: int
    model_name: str
    model: ModelRequest
    tokenizer_sha256: Sha256 | None = None


class ProbeReport(Message):
    """`POST /v1/workers/{id}/probes/{probe id}`."""

    probe: Probe


class ClaimReply(Reply):
    leases: list[Lease] = Field(default_factory=list)
    jobs: list[JobSpec] = Field(default_factory=list)
    probes: list[ProbeOrder] = Field(default_factory=list)
    drain: bool = Field(default=False, description="True when the worker is asked to finish and leave.")
    wait_hint: str | None = Field(default=None, description="Why there is nothing, e.g. `model x is paused: 429`.")


class Measured(Message):
    """What a call used; sums over nothing, one attempt."""

    server_prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    thinking_tokens: int | None = None
    ttft_ms: int | None = None
    duration_ms: int | None = None


class OfSample(Message):
    """Which sample of which lease an outcome is about."""

    lease: int
    job: str
    cell: int
    index: int
    generation: int = 0


class ResultReport(OfSample):
    """The sample was asked and answered: a score, or a status that says why there is none."""

    kind: Literal["result"] = "result"
    attempt: int = 1
    status: Status
    score: float | None = Field(default=None, ge=0, le=1)
    answer: str | None = None
    thinking: str | None = None
    expected: list[str] = Field(default_factory=list)
    prompt_sha256: Sha256 | None = None
    prompt_tokens: int | None = None
    finish_reason: str | None = None
    error: str | None = None
    measured: Measured = Field(default_factory=Measured)
    detail: JsonObject = Field(default_factory=dict)


class FailureReport(OfSample):
    """The call failed. `permanent` failures end the sample with status `error`, others are tried again."""

    kind: Literal["failure"] = "failure"
    attempt: int = 1
    cause: str = Field(description="rate_limited, timeout, connection, server_error, bad_request, auth, not_found, …")
    message: str = Field(default="", max_length=4000)
    permanent: bool = False
    counts: bool = Field(default=True, description="False when no attempt is spent: the model as a whole is down.")
    retry_after: float | None = Field(default=None, ge=0, description="Seconds the server asked to wait.")
    model_down: bool = Field(default=False, description="Opens the model's circuit.")
    prompt_sha256: Sha256 | None = None
    measured: Measured = Field(default_factory=Measured)


class HandBack(OfSample):
    """The sample was not asked (drain, cancel, a lost driver); it goes to another worker at once, no attempt spent."""

    kind: Literal["handback"] = "handback"
    reason: str = ""


Outcome = Annotated[ResultReport | FailureReport | HandBack, Field(discriminator="kind")]


class OutcomesRequest(Message):
    """`POST /v1/workers/{id}/outcomes`: a batch; each outcome is judged by itself."""

    outcomes: list[Outcome] = Field(max_length=10_000)


class Verdict(Reply):
    """What became of one outcome, in the order of the request."""

    verdict: Literal["stored", "duplicate", "requeued", "failed", "stale", "refused", "returned"]
    reason: str | None = None


class OutcomesReply(Reply):
    verdicts: list[Verdict]


class Heartbeat(Message):
    """`POST /v1/workers/{id}/heartbeat`: renews leases; the reply names those that are lost."""

    leases: list[int] = Field(default_factory=list)
    in_flight: int = Field(default=0, ge=0)
    draining: bool = False
    models: dict[str, JsonObject] = Field(
        default_factory=dict,
        description="By model name: concurrency limit, in_flight, tokens_in_flight, reason, …",
    )


class HeartbeatReply(Reply):
    renewed: list[int] = Field(default_factory=list)
    lost: list[int] = Field(default_factory=list)
    cancelled_jobs: list[str] = Field(default_factory=list)
    drain: bool = False


class News(Message):
    """`POST /v1/workers/{id}/news`: long-polls until the worker should send a heartbeat at once.

    The claim whose reply got lost is found by it too: what was granted, and the worker does not name, goes to others.
    """

    leases: list[int] = Field(
        default_factory=list, description="What it holds, and of what it has outcomes that nobody has acknowledged."
    )
    settled: int = Field(
        default=0,
        ge=0,
        description="Leases up to this number that do not reach the worker now never will: a `newest_lease` that it was "
        "told before it sent the oldest claim that is under way.",
    )
    wait_seconds: float = Field(default=20, ge=0, le=60)


class NewsReply(Reply):
    newest_lease: int = Field(description="No lease had a higher number when this was looked up.")
    heartbeat: bool = Field(
        description="There is something to learn from a heartbeat: a cancelled job, the wish to drain."
    )


class Departure(Message):
    """`DELETE /v1/workers/{id}`: the worker has drained and leaves."""

    reason: str = "drained"
