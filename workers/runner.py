"""One sample from build to outcome."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import orjson

from benchmarks.base import Sample, Score
from protocol.jobs import MEASURED, Run, Status
from protocol.models import Generation
from protocol.workers import CellSpec, FailureReport, HandBack, Lease, Measured, ResultReport
from workers.apis.base import Call, Reply, Target, caller
from workers.errors import CallError, ContextOverflow
from workers.integrity import (
    Judgement,
    Visible,
    canary_question,
    canary_seen,
    code_word,
    judge,
    take_thinking_off,
    too_large,
    with_canary,
)
from workers.jobs import OpenJob

CANARY_TOKENS = 12
"""What the code word's line adds to a prompt, about."""
_DEBUG_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Item:
    """One sample of a lease, waiting for its turn."""

    lease: int
    job: str
    cell: CellSpec
    index: int
    generation: int
    attempt: int

    @property
    def name(self) -> str:
        """Job, cell and index, for logs."""
        return f"{self.job}/{self.cell.cell}/{self.index}"


@dataclass(frozen=True, slots=True)
class Built:
    """A sample ready to be asked; `tokens` of the whole request, answer budget included."""

    item: Item
    sample: Sample
    prompt_sha256: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """How a sample's call went, not yet judged: a reply, or a judgement of what was not sent or did not fit, or an error."""

    built: Built
    call: Call | None = None
    reply: Reply | None = None
    canary: dict[str, Any] | None = None
    refused: Judgement | None = None
    error: CallError | None = None
    duration_ms: int = 0

    @property
    def ttft(self) -> float | None:
        """Seconds to the first token, of streamed replies."""
        return None if self.reply is None or self.reply.ttft_ms is None else self.reply.ttft_ms / 1000

    @property
    def work(self) -> int:
        """Tokens read and written; 0 without a reply."""
        return (
            0
            if self.reply is None or self.call is None
            else self.call.prompt_tokens + (self.reply.completion_tokens or 0)
        )


def items_of(lease: Lease) -> list[Item]:
    """The samples of a lease in the order in which they should be asked."""
    return [Item(lease.id, lease.job, lease.cell, index, generation, n) for index, generation, n in lease.samples]


def build(job: OpenJob, item: Item) -> Built:
    """Build a sample (in a thread). Raises what the benchmark raises."""
    sample = job.source.sample(job.cell(item.cell), item.index)
    digest = hashlib.sha256(sample.prompt.text.encode("utf-8", "surrogatepass")).hexdigest()
    return Built(item, sample, digest, sample.tokens + _room(job.spec.run, sample))


async def ask(job: OpenJob, target: Target, built: Built, *, stream: bool = False) -> Asked:
    """Make a sample's call; only cancellation is raised. `conclude` makes an outcome of it, when there is time."""
    started = time.monotonic()
    call = _call(job, target, built, stream)
    refused = _refused_unsent(job, target, built, call)
    if refused is not None:
        return Asked(built, call, refused=refused)
    try:
        reply = await caller(target.model.api)(target, call)
        canary = await _ask_canary(target, built, call) if job.spec.run.canary else None
    except ContextOverflow as error:
        refused = Judgement(Status.CONTEXT_OVERFLOW, error.message)
        return Asked(built, call, refused=refused, duration_ms=_ms(started))
    except CallError as error:
        return Asked(built, call, error=error, duration_ms=_ms(started))
    return Asked(built, call, reply, canary, duration_ms=_ms(started))


def conclude(job: OpenJob, target: Target, asked: Asked) -> ResultReport | FailureReport:
    """Judge and score what was answered. Raises what the benchmark's scoring raises."""
    built, call, reply = asked.built, asked.call, asked.reply
    if asked.error is not None:
        return failure(built.item, asked.error, built.prompt_sha256, asked.duration_ms)
    if call is None or reply is None:
        assert asked.refused is not None
        return _result(built, asked.refused, None, None, asked.duration_ms, {})
    visible = take_thinking_off(reply.answer, reply.thinking)
    judgement = judge(reply, visible, call.prompt_tokens, _overhead(target))
    detail = dict(reply.detail)
    if asked.canary is not None:
        detail["canary"] = asked.canary
        if not asked.canary["seen"] and judgement.status in MEASURED:
            judgement = Judgement(Status.TRUNCATED_PROMPT, "the code word at the start of the prompt was not read")
    score = _score(job, built, visible, judgement)
    if score is not None and score.detail:
        detail["score"] = score.detail
    if job.spec.run.debug and built.item.index == 0:
        detail["debug"] = _debug(call)
    return _result(built, judgement, reply, visible, asked.duration_ms, detail, score)


def failure(
    item: Item, error: CallError, prompt_sha256: str | None = None, duration_ms: int | None = None
) -> FailureReport:
    """The report of a failed call."""
    return FailureReport(
        **_address(item),
        attempt=item.attempt,
        cause=error.cause,
        message=error.message[:4000],
        permanent=error.permanent,
        counts=error.counts,
        retry_after=error.retry_after,
        model_down=error.model_down,
        prompt_sha256=prompt_sha256,
        measured=Measured(duration_ms=duration_ms),
    )


def hand_back(item: Item, reason: str) -> HandBack:
    """The report of a sample that was not asked."""
    return HandBack(**_address(item), reason=reason)


def _room(run: Run, sample: Sample) -> int:
    return sample.max_tokens + run.thinking_budget


def _call(job: OpenJob, target: Target, built: Built, stream: bool) -> Call:
    run, sample = job.spec.run, built.sample
    prompt, tokens = sample.prompt, sample.tokens
    if run.canary:
        prompt, tokens = with_canary(prompt, _code_word(built.item)), tokens + CANARY_TOKENS
    return Call(
        prompt=prompt,
        max_tokens=_room(run, sample),
        prompt_tokens=tokens,
        generation=_generation(target.model.generation.model_dump_json(), orjson.dumps(run.generation)),
        answer_prefix=run.answer_prefix,
        stream=stream,
    )


@lru_cache(maxsize=256)
def _generation(model: str, overrides: bytes) -> Generation:
    """The model's generation parameters with the job's overrides; `extra_body` is merged field by field."""
    base, changes = orjson.loads(model), orjson.loads(overrides)
    extra = {**base.get("extra_body", {}), **changes.pop("extra_body", {})}
    return Generation.model_validate({**base, **changes, "extra_body": extra})


def _refused_unsent(job: OpenJob, target: Target, built: Built, call: Call) -> Judgement | None:
    if job.spec.run.allow_overflow:
        return None
    window = target.model.context_window or target.facts.get("context_window")
    why = too_large(call.prompt_tokens, _overhead(target), call.max_tokens, window)
    return None if why is None else Judgement(Status.CONTEXT_OVERFLOW, why)


async def _ask_canary(target: Target, built: Built, call: Call) -> dict[str, Any]:
    """Ask for the code word at the start of the same prompt; on most servers its prefix is cached by now.

    The room for the reply is the sample's own: a server that cuts the front so that prompt and reply fit cuts it alike.
    """
    asked = replace(call, prompt=canary_question(call.prompt), answer_prefix="suffix", stream=False)
    reply = await caller(target.model.api)(target, asked)
    word = _code_word(built.item)
    answer = take_thinking_off(reply.answer, reply.thinking).answer
    tokens = {"prompt_tokens": reply.prompt_tokens, "completion_tokens": reply.completion_tokens}
    return {"word": word, "seen": canary_seen(answer, word), "answer": answer[:200], **tokens}


def _code_word(item: Item) -> str:
    return code_word(f"{item.job}/{item.cell.cell}/{item.index}")


def _overhead(target: Target) -> int:
    found = target.facts.get("overhead_tokens")
    return found if isinstance(found, int) else 0


def _score(job: OpenJob, built: Built, visible: Visible, judgement: Judgement) -> Score | None:
    if judgement.status not in MEASURED:
        return None
    return job.benchmark.score(job.options, job.cell(built.item.cell), built.sample, visible.answer)


def _debug(call: Call) -> dict[str, str]:
    """Head and tail of what is sent, or all of it as head when nothing would be left out."""
    text = call.plain_text
    if len(text) <= 2 * _DEBUG_CHARACTERS:
        return {"head": text, "tail": ""}
    return {"head": text[:_DEBUG_CHARACTERS], "tail": text[-_DEBUG_CHARACTERS:]}


def _result(
    built: Built,
    judgement: Judgement,
    reply: Reply | None,
    visible: Visible | None,
    duration_ms: int,
    detail: dict[str, Any],
    score: Score | None = None,
) -> ResultReport:
    measured = Measured(duration_ms=duration_ms)
    if reply is not None:
        measured = Measured(
            server_prompt_tokens=reply.prompt_tokens,
            cached_tokens=reply.cached_tokens,
            completion_tokens=reply.completion_tokens,
            thinking_tokens=reply.thinking_tokens,
            ttft_ms=reply.ttft_ms,
            duration_ms=duration_ms,
        )
    return ResultReport(
        **_address(built.item),
        attempt=built.item.attempt,
        status=judgement.status,
        score=None if score is None else score.value,
        answer=None if visible is None else visible.answer,
        thinking=None if visible is None else visible.thinking,
        expected=list(built.sample.expected),
        prompt_sha256=built.prompt_sha256,
        prompt_tokens=built.sample.tokens,
        finish_reason=None if reply is None else reply.finish_reason,
        error=judgement.why if judgement.status is not Status.OK else None,
        measured=measured,
        detail={**built.sample.detail, **detail},
    )


def _address(item: Item) -> dict[str, Any]:
    return {
        "lease": item.lease,
        "job": item.job,
        "cell": item.cell.cell,
        "index": item.index,
        "generation": item.generation,
    }


def _ms(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
