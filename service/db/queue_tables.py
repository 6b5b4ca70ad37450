"""The tables that samples move through.

A sample has no row of its own while it is worked on in order: a job's samples stand in `ranges` (what nobody has
taken yet), in `leases` (what a worker holds) and at last in `results`. Only what is out of order has a row, in
`retries`. `service/queue/sql/` moves samples between those four and is the only code that does.

These tables are kept narrow and carry no foreign keys: a check for each row costs 8 % of the throughput, and the
functions in `service/queue/sql/` only write ids that they have just read.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
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
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from service.db.columns import Xid8, count, json_object, metadata, now

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
