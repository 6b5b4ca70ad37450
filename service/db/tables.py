"""Every table of the service.

A sample has no row of its own while it is worked on in order: a job's samples stand in `ranges` (what nobody has
taken yet), in `leases` (what a worker holds) and at last in `results`. Only what is out of order has a row, in
`retries`. `service/queue/sql/` moves samples between those four and is the only code that does.

The tables that a claim or a report touches are kept narrow and carry no foreign keys: a check for each row costs 8 % of the
throughput, and the functions in `service/queue/sql/` only write ids that they have just read.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, UUID

from protocol.assets import AssetKind
from protocol.jobs import JobState
from service.db.columns import Xid8, count, json_object, metadata, moment, now, one_of

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False),
    Column("sha256", Text, nullable=False, unique=True, comment="Hash of the token; the token itself is never stored."),
    Column("role", Text, nullable=False, server_default="admin"),
    now("created_at"),
    moment("last_used_at"),
    moment("revoked_at"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    now("created_at"),
)

blob_chunks = Table(
    "blob_chunks",
    metadata,
    Column("sha256", Text, ForeignKey("blobs.sha256", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False, comment="From 0; the blob is the chunks in this order."),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("sha256", "number"),
)

assets = Table(
    "assets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("sha256", Text, ForeignKey("blobs.sha256"), nullable=False, index=True),
    Column("size", BigInteger, nullable=False),
    Column("source", Text, nullable=False, server_default=""),
    json_object("meta"),
    now("created_at"),
    one_of("kind", [k.value for k in AssetKind]),
)

models = Table(
    "models",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("spec", JSONB, nullable=False, comment="protocol.models.ModelRequest"),
    Column("tokenizer_sha256", Text),
    Column("probe", JSONB, comment="protocol.models.Probe"),
    # Copies of spec.labels and spec.limits that claims read; whoever writes spec writes them too.
    json_object("labels"),
    Column("max_concurrency", Integer, nullable=False, server_default=text("64")),
    Column("requests_per_minute", Integer),
    Column("tokens_per_minute", BigInteger),
    # Token buckets: what may be started now; refilled by the time since bucket_at.
    Column("requests_left", Double, nullable=False, server_default=text("0")),
    Column("tokens_left", Double, nullable=False, server_default=text("0")),
    Column("bucket_at", DateTime(timezone=True), nullable=False, server_default=text("'-infinity'")),
    Column("circuit", Text, nullable=False, server_default="closed"),
    Column("circuit_reason", Text),
    Column(
        "circuit_until", DateTime(timezone=True), comment="Open: no call before. Half-open: no second trial before."
    ),
    Column(
        "circuit_trips", Integer, nullable=False, server_default=text("0"), comment="Openings since it last worked."
    ),
    Column("cooldown_until", DateTime(timezone=True), comment="The server asked to wait (Retry-After)."),
    Column(
        "lease_floor", BigInteger, nullable=False, server_default=text("0"), comment="No live lease has a lower id."
    ),
    now("created_at"),
    now("updated_at"),
    one_of("circuit", ["closed", "open", "half-open"]),
    CheckConstraint("max_concurrency > 0", name="max_concurrency"),
    postgresql_with={"fillfactor": "50"},
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("public_id", Text, nullable=False, unique=True, comment="What people and workers see."),
    Column("name", Text),
    Column("benchmark", Text, nullable=False),
    Column("benchmark_version", Text, nullable=False),
    Column("model_id", Integer, ForeignKey("models.id"), nullable=False, index=True),
    Column("model_spec", JSONB, nullable=False, comment="The model as it was at submission, for the record."),
    # What the probe had found at submission; samples are built from it, so a later probe must not change them.
    json_object("model_facts"),
    Column("options", JSONB, nullable=False),
    json_object("run"),
    json_object("labels"),
    json_object("assets"),
    json_object("asset_names"),
    json_object("warnings", "[]"),
    Column("priority", Integer, nullable=False, server_default=text("0")),
    Column("max_concurrency", Integer),
    Column("max_attempts", Integer, nullable=False, server_default=text("5")),
    Column("base_seconds", Double, nullable=False, server_default=text("1")),
    Column("max_seconds", Double, nullable=False, server_default=text("120")),
    Column("state", Text, nullable=False, server_default="running"),
    Column("stalled", Text),
    Column("generation", Integer, nullable=False, server_default=text("0"), comment="Requeues made so far."),
    Column(
        "revision", Integer, nullable=False, server_default=text("0"), comment="Changes of what a worker must know."
    ),
    # No range before (at_cell, at_start) has samples left: where claims begin to look.
    Column("at_cell", Integer, nullable=False, server_default=text("0")),
    Column("at_start", Integer, nullable=False, server_default=text("0")),
    now("created_at"),
    moment("started_at"),
    moment("finished_at"),
    moment("active_at"),
    count("done"),
    one_of("state", [s.value for s in JobState]),
    Index("jobs_running", "model_id", "priority", postgresql_where=text("state = 'running'")),
    postgresql_with={"fillfactor": "50"},
)

cells = Table(
    "cells",
    metadata,
    Column("job_id", BigInteger, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("cell", Integer, nullable=False),
    Column("task", Text, nullable=False),
    Column("length", Integer, nullable=False),
    json_object("variant"),
    Column("size", Integer, nullable=False, comment="Samples; their indices are 0 … size - 1."),
    PrimaryKeyConstraint("job_id", "cell"),
    CheckConstraint("size > 0", name="size"),
)

ranges = Table(
    "ranges",
    metadata,
    Column("job_id", BigInteger, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
    Column("next", Integer, nullable=False, comment="next … stop - 1 have not been handed out."),
    PrimaryKeyConstraint("job_id", "cell", "start"),
    postgresql_with={"fillfactor": "50", "autovacuum_vacuum_scale_factor": "0.1", "autovacuum_vacuum_threshold": "500"},
)

workers = Table(
    "workers",
    metadata,
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("boot", UUID(as_uuid=True), nullable=False, unique=True, comment="One row a process start."),
    Column("name", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("concurrency", Integer, nullable=False),
    json_object("labels"),
    Column("state", Text, nullable=False, server_default="up"),
    json_object("models", "{}"),
    count("done"),
    now("registered_at"),
    now("last_seen_at"),
    one_of("state", ["up", "draining", "gone"]),
    postgresql_with={"fillfactor": "50"},
)

leases = Table(
    "leases",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True, comment="The fencing token."),
    Column("worker_id", Integer, nullable=False, index=True),
    Column("job_id", BigInteger, nullable=False),
    Column("model_id", Integer, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("fresh", Boolean, nullable=False, comment="First attempts: none of its samples has a row in retries."),
    Column("open", ARRAY(Integer), nullable=False, comment="Indices not reported yet, ascending."),
    Column("n", Integer, nullable=False, comment="How many those are: calls in flight."),
    now("granted_at"),
    Column("expires_at", DateTime(timezone=True), nullable=False, index=True),
    Index("leases_job", "job_id", "id"),
    Index("leases_model", "model_id", "id"),
    postgresql_with={"fillfactor": "50", "autovacuum_vacuum_scale_factor": "0.0", "autovacuum_vacuum_threshold": "500"},
)

retries = Table(
    "retries",
    metadata,
    Column("job_id", BigInteger, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("index", Integer, nullable=False),
    Column("generation", Integer, nullable=False, server_default=text("0")),
    Column("attempts", SmallInteger, nullable=False, server_default=text("0"), comment="Failed calls that count."),
    Column("losses", SmallInteger, nullable=False, server_default=text("0"), comment="Leases that ran out."),
    Column("reason", Text, nullable=False, comment="Why it waits."),
    Column("next_try", DateTime(timezone=True), nullable=False),
    Column("lease_id", BigInteger, comment="Who has it now; null while it waits."),
    PrimaryKeyConstraint("job_id", "cell", "index"),
    Index("retries_waiting", "job_id", "next_try", "cell", "index", postgresql_where=text("lease_id is null")),
    postgresql_with={"autovacuum_vacuum_scale_factor": "0.05", "autovacuum_vacuum_threshold": "500"},
)

results = Table(
    "results",
    metadata,
    Column("job_id", BigInteger, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("index", Integer, nullable=False),
    Column("xid", Xid8, nullable=False, server_default=text("pg_current_xact_id()"), comment="Orders result pages."),
    Column("generation", Integer, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("worker_id", Integer),
    Column("prompt_tokens", Integer),
    Column("server_prompt_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("thinking_tokens", Integer),
    Column("ttft_ms", Integer),
    Column("duration_ms", Integer),
    Column("score", Double),
    now("at"),
    Column("status", Text, nullable=False),
    Column("finish_reason", Text),
    Column("prompt_sha256", LargeBinary),
    Column("answer", Text),
    Column("thinking", Text),
    Column("error", Text),
    Column("expected", JSONB),
    Column("detail", JSONB),
    PrimaryKeyConstraint("job_id", "cell", "index"),
    Index("results_page", "job_id", "xid"),
    Index("results_flagged", "job_id", "status", "cell", "index", postgresql_where=text("status <> 'ok'")),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("job_id", BigInteger, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("index", Integer, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("attempt", SmallInteger, nullable=False),
    Column("worker_id", Integer),
    Column("lease_id", BigInteger),
    Column("kind", Text, nullable=False, comment="The cause; or expired, superseded, duplicate, late."),
    Column("message", Text, nullable=False, server_default=""),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("duration_ms", Integer),
    now("at"),
    Index("attempts_sample", "job_id", "cell", "index", "id"),
)


def _tally_columns() -> list[Column[Any]]:
    return [
        Column("status", Text, nullable=False, comment="A result's status; `attempt` for calls that gave no result."),
        Column("score", Double, nullable=False, comment="-1 where there is none."),
        count("n"),
        count("calls"),
        count("prompt_tokens"),
        count("cached_tokens"),
        count("completion_tokens"),
        count("thinking_tokens"),
    ]


deltas = Table(
    "deltas",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("job_id", BigInteger, nullable=False, index=True),
    Column("cell", Integer, nullable=False),
    Column("worker_id", Integer),
    *_tally_columns(),
    comment="Append-only: what each report changes. A maintenance task folds them into tallies.",
    postgresql_with={"autovacuum_vacuum_scale_factor": "0.0", "autovacuum_vacuum_threshold": "2000"},
)

tallies = Table(
    "tallies",
    metadata,
    Column("job_id", BigInteger, nullable=False),
    Column("cell", Integer, nullable=False),
    *_tally_columns(),
    PrimaryKeyConstraint("job_id", "cell", "status", "score"),
    comment="How often each score occurs in each cell, and what it cost. True only together with deltas.",
    postgresql_with={"fillfactor": "70"},
)

progress_points = Table(
    "progress_points",
    metadata,
    Column("job_id", BigInteger, nullable=False),
    now("at"),
    Column("done", BigInteger, nullable=False),
    PrimaryKeyConstraint("job_id", "at"),
    comment="How far a job was when: its speed and its remaining time.",
)

events = Table(
    "events",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True, comment="Rises in commit order within a job."),
    Column("job_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    now("at"),
    json_object("data"),
    Index("events_job", "job_id", "id"),
    comment="Outbox of the event streams. Written only while the job's row is locked.",
)

probe_orders = Table(
    "probe_orders",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("model_id", Integer, ForeignKey("models.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("worker_id", Integer),
    Column("report", JSONB, comment="protocol.models.Probe"),
    now("created_at"),
    moment("taken_at"),
    moment("answered_at"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("scope", Text, nullable=False, comment="Method and path."),
    Column("key", Text, nullable=False),
    Column("body_sha256", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("reply", JSONB, nullable=False),
    now("created_at"),
    PrimaryKeyConstraint("scope", "key"),
)
