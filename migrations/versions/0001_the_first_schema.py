"""The first schema"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.columns import Xid8

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.SmallInteger(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column("lease_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False, comment="The cause; or expired, superseded, duplicate, late."),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("attempts_pkey")),
    )
    op.create_index("attempts_sample", "attempts", ["job_id", "cell", "index", "id"], unique=False)
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("sha256", name=op.f("blobs_pkey")),
    )
    op.create_table(
        "deltas",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column(
            "status", sa.Text(), nullable=False, comment="A result's status; `attempt` for calls that gave no result."
        ),
        sa.Column("score", sa.Double(), nullable=False, comment="-1 where there is none."),
        sa.Column("n", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("thinking_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("deltas_pkey")),
        comment="Append-only: what each report changes. A maintenance task folds them into tallies.",
        postgresql_with={"autovacuum_vacuum_scale_factor": "0.0", "autovacuum_vacuum_threshold": "2000"},
    )
    op.create_index(op.f("deltas_job_id"), "deltas", ["job_id"], unique=False)
    op.create_table(
        "events",
        sa.Column(
            "id",
            sa.BigInteger(),
            sa.Identity(always=True),
            nullable=False,
            comment="Rises in commit order within a job.",
        ),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("events_pkey")),
        comment="Outbox of the event streams. Written only while the job's row is locked.",
    )
    op.create_index("events_job", "events", ["job_id", "id"], unique=False)
    op.create_table(
        "idempotency_keys",
        sa.Column("scope", sa.Text(), nullable=False, comment="Method and path."),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("reply", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("idempotency_keys_pkey")),
    )
    op.create_table(
        "leases",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False, comment="The fencing token."),
        sa.Column("worker_id", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column(
            "fresh", sa.Boolean(), nullable=False, comment="First attempts: none of its samples has a row in retries."
        ),
        sa.Column(
            "open", postgresql.ARRAY(sa.Integer()), nullable=False, comment="Indices not reported yet, ascending."
        ),
        sa.Column("n", sa.Integer(), nullable=False, comment="How many those are: calls in flight."),
        sa.Column(
            "granted_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("leases_pkey")),
        postgresql_with={
            "fillfactor": "50",
            "autovacuum_vacuum_scale_factor": "0.0",
            "autovacuum_vacuum_threshold": "500",
        },
    )
    op.create_index(op.f("leases_expires_at"), "leases", ["expires_at"], unique=False)
    op.create_index("leases_job", "leases", ["job_id", "id"], unique=False)
    op.create_index("leases_model", "leases", ["model_id", "id"], unique=False)
    op.create_index(op.f("leases_worker_id"), "leases", ["worker_id"], unique=False)
    op.create_table(
        "models",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "spec", postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment="protocol.models.ModelRequest"
        ),
        sa.Column("tokenizer_sha256", sa.Text(), nullable=True),
        sa.Column("probe", postgresql.JSONB(astext_type=sa.Text()), nullable=True, comment="protocol.models.Probe"),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("max_concurrency", sa.Integer(), server_default=sa.text("64"), nullable=False),
        sa.Column("requests_per_minute", sa.Integer(), nullable=True),
        sa.Column("tokens_per_minute", sa.BigInteger(), nullable=True),
        sa.Column("requests_left", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens_left", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("bucket_at", sa.DateTime(timezone=True), server_default=sa.text("'-infinity'"), nullable=False),
        sa.Column("circuit", sa.Text(), server_default="closed", nullable=False),
        sa.Column("circuit_reason", sa.Text(), nullable=True),
        sa.Column(
            "circuit_until",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="Open: no call before. Half-open: no second trial before.",
        ),
        sa.Column(
            "circuit_trips",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="Openings since it last worked.",
        ),
        sa.Column(
            "cooldown_until",
            sa.DateTime(timezone=True),
            nullable=True,
            comment="The server asked to wait (Retry-After).",
        ),
        sa.Column(
            "lease_floor",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="No live lease has a lower id.",
        ),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "updated_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("circuit in ('closed', 'open', 'half-open')", name=op.f("models_circuit_check")),
        sa.CheckConstraint("max_concurrency > 0", name=op.f("models_max_concurrency_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("models_pkey")),
        sa.UniqueConstraint("name", name=op.f("models_name_key")),
        postgresql_with={"fillfactor": "50"},
    )
    op.create_table(
        "progress_points",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "at", name=op.f("progress_points_pkey")),
        comment="How far a job was when: its speed and its remaining time.",
    )
    op.create_table(
        "ranges",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("next", sa.Integer(), nullable=False, comment="next … stop - 1 have not been handed out."),
        sa.PrimaryKeyConstraint("job_id", "cell", "start", name=op.f("ranges_pkey")),
        postgresql_with={
            "fillfactor": "50",
            "autovacuum_vacuum_scale_factor": "0.1",
            "autovacuum_vacuum_threshold": "500",
        },
    )
    op.create_table(
        "results",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column(
            "xid",
            Xid8(),
            server_default=sa.text("pg_current_xact_id()"),
            nullable=False,
            comment="Orders result pages.",
        ),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("server_prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("cached_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("thinking_tokens", sa.Integer(), nullable=True),
        sa.Column("ttft_ms", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.Text(), nullable=True),
        sa.Column("prompt_sha256", sa.LargeBinary(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("thinking", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("expected", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("detail", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.PrimaryKeyConstraint("job_id", "cell", "index", name=op.f("results_pkey")),
    )
    op.create_index(
        "results_flagged",
        "results",
        ["job_id", "status", "cell", "index"],
        unique=False,
        postgresql_where=sa.text("status <> 'ok'"),
    )
    op.create_index("results_page", "results", ["job_id", "xid"], unique=False)
    op.create_table(
        "retries",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "attempts",
            sa.SmallInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="Failed calls that count.",
        ),
        sa.Column(
            "losses", sa.SmallInteger(), server_default=sa.text("0"), nullable=False, comment="Leases that ran out."
        ),
        sa.Column("reason", sa.Text(), nullable=False, comment="Why it waits."),
        sa.Column("next_try", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_id", sa.BigInteger(), nullable=True, comment="Who has it now; null while it waits."),
        sa.PrimaryKeyConstraint("job_id", "cell", "index", name=op.f("retries_pkey")),
        postgresql_with={"autovacuum_vacuum_scale_factor": "0.05", "autovacuum_vacuum_threshold": "500"},
    )
    op.create_index(
        "retries_waiting",
        "retries",
        ["job_id", "next_try", "cell", "index"],
        unique=False,
        postgresql_where=sa.text("lease_id is null"),
    )
    op.create_table(
        "tallies",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column(
            "status", sa.Text(), nullable=False, comment="A result's status; `attempt` for calls that gave no result."
        ),
        sa.Column("score", sa.Double(), nullable=False, comment="-1 where there is none."),
        sa.Column("n", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("thinking_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "cell", "status", "score", name=op.f("tallies_pkey")),
        comment="How often each score occurs in each cell, and what it cost. True only together with deltas.",
        postgresql_with={"fillfactor": "70"},
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False, comment="Hash of the token; the token itself is never stored."),
        sa.Column("role", sa.Text(), server_default="admin", nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("tokens_pkey")),
        sa.UniqueConstraint("sha256", name=op.f("tokens_sha256_key")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("boot", sa.UUID(), nullable=False, comment="One row a process start."),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("state", sa.Text(), server_default="up", nullable=False),
        sa.Column("models", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "registered_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("state in ('up', 'draining', 'gone')", name=op.f("workers_state_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("workers_pkey")),
        sa.UniqueConstraint("boot", name=op.f("workers_boot_key")),
        postgresql_with={"fillfactor": "50"},
    )
    op.create_table(
        "assets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("meta", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("kind in ('corpus', 'tokenizer', 'dataset', 'words')", name=op.f("assets_kind_check")),
        sa.ForeignKeyConstraint(["sha256"], ["blobs.sha256"], name=op.f("assets_sha256_fkey")),
        sa.PrimaryKeyConstraint("name", name=op.f("assets_pkey")),
    )
    op.create_index(op.f("assets_sha256"), "assets", ["sha256"], unique=False)
    op.create_table(
        "blob_chunks",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="From 0; the blob is the chunks in this order."),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["sha256"], ["blobs.sha256"], name=op.f("blob_chunks_sha256_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sha256", "number", name=op.f("blob_chunks_pkey")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False, comment="What people and workers see."),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.Text(), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column(
            "model_spec",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="The model as it was at submission, for the record.",
        ),
        sa.Column(
            "model_facts", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("run", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("labels", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("assets", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column(
            "asset_names", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column("warnings", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("priority", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_concurrency", sa.Integer(), nullable=True),
        sa.Column("max_attempts", sa.Integer(), server_default=sa.text("5"), nullable=False),
        sa.Column("base_seconds", sa.Double(), server_default=sa.text("1"), nullable=False),
        sa.Column("max_seconds", sa.Double(), server_default=sa.text("120"), nullable=False),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column("stalled", sa.Text(), nullable=True),
        sa.Column(
            "generation", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="Requeues made so far."
        ),
        sa.Column(
            "revision",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="Changes of what a worker must know.",
        ),
        sa.Column("at_cell", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("at_start", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("active_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint(
            "state in ('running', 'paused', 'cancelled', 'completed', 'completed_with_errors')",
            name=op.f("jobs_state_check"),
        ),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("jobs_model_id_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("jobs_pkey")),
        sa.UniqueConstraint("public_id", name=op.f("jobs_public_id_key")),
        postgresql_with={"fillfactor": "50"},
    )
    op.create_index(op.f("jobs_model_id"), "jobs", ["model_id"], unique=False)
    op.create_index(
        "jobs_running", "jobs", ["model_id", "priority"], unique=False, postgresql_where=sa.text("state = 'running'")
    )
    op.create_table(
        "probe_orders",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("model_id", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), nullable=True),
        sa.Column("report", postgresql.JSONB(astext_type=sa.Text()), nullable=True, comment="protocol.models.Probe"),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["model_id"], ["models.id"], name=op.f("probe_orders_model_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("probe_orders_pkey")),
    )
    op.create_index(op.f("probe_orders_model_id"), "probe_orders", ["model_id"], unique=False)
    op.create_table(
        "cells",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("variant", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False, comment="Samples; their indices are 0 … size - 1."),
        sa.CheckConstraint("size > 0", name=op.f("cells_size_check")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("cells_job_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "cell", name=op.f("cells_pkey")),
    )


def downgrade() -> None:
    op.drop_table("cells")
    op.drop_index(op.f("probe_orders_model_id"), table_name="probe_orders")
    op.drop_table("probe_orders")
    op.drop_index("jobs_running", table_name="jobs", postgresql_where=sa.text("state = 'running'"))
    op.drop_index(op.f("jobs_model_id"), table_name="jobs")
    op.drop_table("jobs")
    op.drop_table("blob_chunks")
    op.drop_index(op.f("assets_sha256"), table_name="assets")
    op.drop_table("assets")
    op.drop_table("workers")
    op.drop_table("tokens")
    op.drop_table("tallies")
    op.drop_index("retries_waiting", table_name="retries", postgresql_where=sa.text("lease_id is null"))
    op.drop_table("retries")
    op.drop_index("results_page", table_name="results")
    op.drop_index("results_flagged", table_name="results", postgresql_where=sa.text("status <> 'ok'"))
    op.drop_table("results")
    op.drop_table("ranges")
    op.drop_table("progress_points")
    op.drop_table("models")
    op.drop_index(op.f("leases_worker_id"), table_name="leases")
    op.drop_index("leases_model", table_name="leases")
    op.drop_index("leases_job", table_name="leases")
    op.drop_index(op.f("leases_expires_at"), table_name="leases")
    op.drop_table("leases")
    op.drop_table("idempotency_keys")
    op.drop_index("events_job", table_name="events")
    op.drop_table("events")
    op.drop_index(op.f("deltas_job_id"), table_name="deltas")
    op.drop_table("deltas")
    op.drop_table("blobs")
    op.drop_index("attempts_sample", table_name="attempts")
    op.drop_table("attempts")
