"""The tables of the service: what people register and submit here, what moves through the queue in `queue_tables`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
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
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB, UUID

from protocol.assets import AssetKind
from protocol.jobs import JobState
from service.db import queue_tables  # noqa: F401  so that `metadata` has every table
from service.db.columns import count, json_object, metadata, moment, now, one_of

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
