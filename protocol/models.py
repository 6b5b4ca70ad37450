"""A model: a registered way to call one LLM."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from protocol.common import JsonObject, Message, Name, Reply, Sha256


class ApiKind(StrEnum):
    """How to talk to a model."""

    OPENAI_CHAT = "openai-chat"
    OPENAI_COMPLETIONS = "openai-completions"
    OLLAMA = "ollama"
    KOBOLDCPP = "koboldcpp"
    ANTHROPIC = "anthropic"
    SPNL = "spnl"
    COMMAND = "command"


class Driver(Message):
    """Where calls start: `local`, `ssh`, or a plug-in (`package.module:attribute`, an entry point, or `path/to/driver.py`)."""

    kind: str = "local"
    host: str | None = Field(
        default=None, description="`user@host[:port]` or an alias of ~/.ssh/config (driver `ssh`)."
    )
    options: JsonObject = Field(
        default_factory=dict,
        description="What else the driver takes, e.g. `host_key_sha256`, `proxy_jump`, `key`.",
    )


class Generation(Message):
    """Generation parameters sent with every call. Fields left out are not sent."""

    temperature: float | None = Field(default=0.0, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    min_p: float | None = Field(default=None, ge=0, le=1)
    repetition_penalty: float | None = Field(default=None, gt=0)
    seed: int | None = None
    stop: list[str] = Field(default_factory=list)
    system: str | None = Field(default=None, description="System prompt; a benchmark's own comes first.")
    extra_body: JsonObject = Field(default_factory=dict, description="Merged into the request body as it is.")


class Limits(Message):
    """Limits shared by all workers, kept in Postgres."""

    max_concurrency: int = Field(default=64, ge=1, le=100_000, description="Calls in flight over all workers; exact.")
    requests_per_minute: int | None = Field(default=None, ge=1, le=1_000_000_000)
    tokens_per_minute: int | None = Field(default=None, ge=1, le=1_000_000_000_000)


class Timeouts(Message):
    """Seconds. `first_byte` and `total` grow with the prompt: base + per_1k_tokens x prompt tokens / 1000."""

    connect: float = Field(default=10, gt=0)
    first_byte: float = Field(default=300, gt=0)
    idle: float = Field(default=300, gt=0)
    total: float = Field(default=600, gt=0)
    per_1k_tokens: float = Field(default=10, ge=0)


class Price(Message):
    """Price in `currency` per million tokens."""

    currency: str = "USD"
    input: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    output: float = Field(ge=0)


class TokenizerRef(Message):
    """The tokenizer that counts prompts: an asset (`tokenizer.json`), or the server's own `/tokenize`."""

    kind: Literal["asset", "server"] = "asset"
    asset: str | None = Field(default=None, description="Name or SHA-256 of a tokenizer asset (kind `asset`).")


class ModelRequest(Message):
    """Registers or changes a model."""

    name: Name
    api: ApiKind
    base_url: str | None = Field(default=None, description="E.g. `http://127.0.0.1:8000/v1` (all kinds but `command`).")
    model_id: str | None = Field(
        default=None, description="The id the server knows it by; default: the only one it has."
    )
    command: list[str] = Field(default_factory=list, description="Program and arguments (kind `command`).")
    driver: Driver = Field(default_factory=Driver)
    tokenizer: TokenizerRef | None = None
    context_window: int | None = Field(
        default=None, ge=1, le=1_000_000_000, description="Tokens; overrides what the probe finds."
    )
    api_key_env: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the worker's environment variable.",
    )
    headers: dict[str, str] = Field(
        default_factory=dict, description="Extra request headers; no secrets, they are shown."
    )
    generation: Generation = Field(default_factory=Generation)
    limits: Limits = Field(default_factory=Limits)
    timeouts: Timeouts = Field(default_factory=Timeouts)
    price: Price | None = None
    labels: dict[str, str] = Field(default_factory=dict, description="What a worker must offer to run it.")


class Finding(Reply):
    """One fact the probe established, and how."""

    value: str | int | float | bool | list[str] | None
    how: str


class Probe(Reply):
    """What a probe found out; every finding says how."""

    ok: bool
    problem: str | None = Field(default=None, description="Why the model can't be used, in plain words.")
    at: datetime | None = None
    findings: dict[str, Finding] = Field(
        default_factory=dict,
        description="Keys: engine, version, model_ids, model_id, context_window, slots, tokenize, usage, cached_tokens, "
        "long_prompts (refused|cut), prefill, overhead_tokens, ping_ms.",
    )


class Circuit(Reply):
    """Whether calls to the model are let through. No attempt is spent while it is open."""

    state: Literal["closed", "open", "half-open"] = "closed"
    reason: str | None = None
    until: datetime | None = None


class Model(Reply):
    """A registered model as the service shows it."""

    name: str
    spec: ModelRequest
    tokenizer_sha256: Sha256 | None = None
    probe: Probe | None = None
    circuit: Circuit = Field(default_factory=Circuit)
    in_flight: int = 0
    created_at: datetime
    updated_at: datetime


class ModelList(Reply):
    items: list[Model]
