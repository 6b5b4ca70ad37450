"""Results: what became of each sample of a job."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from protocol.common import JsonObject, Reply
from protocol.jobs import Page, Status, WaitingReason


class Attempt(Reply):
    """One failed or superseded attempt of a sample."""

    attempt: int
    worker: str | None = None
    kind: str
    message: str = ""
    duration_ms: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    at: datetime


class Result(Reply):
    """The stored outcome of a sample, exactly one."""

    job: str
    cell: int
    index: int
    task: str
    length: int
    variant: JsonObject = Field(default_factory=dict)
    status: Status
    score: float | None = Field(description="0 to 1; null when it is not a measurement.")
    answer: str | None = None
    thinking: str | None = None
    expected: list[str] = Field(default_factory=list)
    prompt_sha256: str | None = None
    prompt_tokens: int | None = Field(default=None, description="Our own count, answer prefix included.")
    server_prompt_tokens: int | None = Field(default=None, description="What the server says it read.")
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    thinking_tokens: int | None = None
    finish_reason: str | None = None
    ttft_ms: int | None = None
    duration_ms: int | None = None
    attempts: int = 1
    generation: int = 0
    worker: str | None = None
    error: str | None = None
    detail: JsonObject = Field(default_factory=dict, description="Needles with depth, debug text, canary, …")
    cost: float | None = None
    at: datetime


class ResultPage(Page):
    items: list[Result]
    final: bool = Field(description="True when the job is finished and this page ends its results.")


class SampleDetail(Reply):
    """A sample with all that happened to it."""

    job: str
    cell: int
    index: int
    task: str
    length: int
    variant: JsonObject = Field(default_factory=dict)
    state: Literal["done", "in_flight", "waiting", "pending"]
    waiting: WaitingReason | None = Field(default=None, description="Why it waits, and when it is tried next.")
    result: Result | None = None
    attempts: list[Attempt] = Field(default_factory=list)


class PromptText(Reply):
    """A sample's prompt, built again from what the job stores, and checked against the stored SHA-256."""

    job: str
    cell: int
    index: int
    sha256: str
    matches: bool | None = Field(description="Whether the SHA-256 equals the result's; null when there is no result.")
    bytes: int = Field(description="Length of the whole prompt in UTF-8.")
    tokens: int
    head: str = Field(description="The first `head` bytes, cut at a character.")
    tail: str = Field(description="The last `tail` bytes; empty when head holds all.")
    system: str | None = None
    answer_prefix: str = ""
