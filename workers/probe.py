"""Finds out what a model's server is and how it behaves, before anything is measured with it.

Facts that a server tells are taken from it; how it counts, cuts and continues is tried with a few short calls. Every
finding says how it was made. A model that cannot work gives a Probe with `ok` false and the reason in plain words.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from benchmarks.base import Prompt, TokenCounter
from protocol.models import ApiKind, Finding, Probe
from workers.apis.base import Call, Reply, Target, caller
from workers.apis.http import bearer, post
from workers.drivers.base import complete
from workers.errors import CallError, ContextOverflow
from workers.fingerprints import Fingerprint, fingerprint, get, window_in_list
from workers.server_tokens import ServerCounter, find_tokenizer

SHORT = (
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. What colour is the sky?"
)
LONG = (
    "A. " + "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again. " * 12 + "Why?"
)
COUNTING = "Count from 1 to 20, with a comma after each number."
COUNTED = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,"
OVERLONG_SECONDS = 12.0
_LONGEST_TRY = {"refuses": 200_000, "may cut": 16_384}
"""Windows (tokens) up to which an over-long prompt is tried: refusing one costs a server nothing, reading one a lot."""
_REFUSING = ("llama.cpp", "vllm", "tgi", "openai", "anthropic")
_TAKES_ANY_ID = ("llama.cpp", "koboldcpp", "tgi")
_NO_TURNS = (ApiKind.OPENAI_COMPLETIONS, ApiKind.SPNL)


@dataclass
class _Run:
    """A probe under way: the target learns its facts as they are found."""

    target: Target
    found: Fingerprint
    counter: TokenCounter | None
    tokenizer: ServerCounter | None = None

    @property
    def facts(self) -> dict[str, Any]:
        return {name: finding.value for name, finding in self.found.findings.items()}

    async def ask(
        self, text: str, max_tokens: int = 1, prefill: str = "", extra_body: dict[str, Any] | None = None
    ) -> Reply:
        prompt, chosen = Prompt(text, answer_prefix=prefill), self.target.model.generation
        if extra_body is not None:
            chosen = chosen.model_copy(update={"extra_body": {**chosen.extra_body, **extra_body}})
        call = Call(
            prompt,
            max_tokens=max_tokens,
            prompt_tokens=max(len(text) // 3, 1),
            generation=chosen,
            answer_prefix="prefill" if prefill else "suffix",
        )
        target = replace(self.target, facts=self.facts)
        return await caller(target.model.api)(target, call)

    async def count(self, text: str) -> int | None:
        """Our own count, else the server's tokenizer's, else None."""
        if self.counter is not None:
            return await asyncio.to_thread(self.counter.count, text)
        return None if self.tokenizer is None else await self.tokenizer.count(text)

    def note(self, name: str, value: Any, how: str) -> None:
        self.found.note(name, value, how)


async def probe(target: Target, counter: TokenCounter | None) -> Probe:
    """Probe a model. `counter` is its tokenizer as registered; without one, the server's own counts where it can."""
    try:
        if target.model.api is ApiKind.COMMAND:
            return _done(await _probe_command(target))
        found = await fingerprint(target)
        run = _Run(target, found, counter)
        _choose_model(run)
        await _probe_server(run)
    except ContextOverflow as error:
        return _failed(f"the server refuses even a short prompt as too long: {error.message}")
    except CallError as error:
        return _failed(error.message)
    return _done(found.findings)


async def _probe_server(run: _Run) -> None:
    tokenizer = run.tokenizer = await find_tokenizer(run.target, run.found, _model_id(run))
    run.note("tokenize", tokenizer.path if tokenizer else False, tokenizer.how if tokenizer else "no such path answers")
    short = await _ping(run)
    await _find_window(run)
    long = await run.ask(LONG)
    _compare_counts(run, await run.count(SHORT), await run.count(LONG), short, long)
    again = await run.ask(LONG)
    how = "the same prompt sent twice: the second reply " + (
        "tells" if again.cached_tokens is not None else "says nothing"
    )
    run.note("cached_tokens", again.cached_tokens is not None, f"{how} of cached tokens")
    await _try_prefill(run)
    await _try_overlong(run, long)


def _choose_model(run: _Run) -> None:
    """Settle the model id, or say which ids there are."""
    ids, wanted = run.found.model_ids, run.target.model.model_id
    listed = ", ".join(ids[:20]) + (f" and {len(ids) - 20} more" if len(ids) > 20 else "")
    if wanted is None and len(ids) == 1:
        run.note("model_id", ids[0], "the only one that the server lists")
    elif wanted is None and len(ids) > 1:
        raise CallError(
            "bad_request", f"the server has several models, name one with --model-id: {listed}", permanent=True
        )
    elif wanted is not None and ids and not _listed(wanted, ids):
        if run.found.engine not in _TAKES_ANY_ID:
            raise CallError("not_found", f"the server has no model {wanted!r}; it has: {listed}", permanent=True)
        run.note("model_id", wanted, f"as registered; the server lists {listed} and takes any id")
    elif wanted is not None:
        run.note("model_id", wanted, "as registered" + (" and listed by the server" if ids else ""))


def _listed(wanted: str, ids: list[str]) -> bool:
    return wanted in ids or f"{wanted}:latest" in ids


def _model_id(run: _Run) -> str | None:
    found = run.found.findings.get("model_id")
    return run.target.model.model_id or (str(found.value) if found is not None else None)


async def _ping(run: _Run) -> Reply:
    started = time.monotonic()
    reply = await run.ask(SHORT)
    run.note("ping_ms", round((time.monotonic() - started) * 1000), "one short call, answer limited to a token")
    how = "the reply to a short call " + ("tells" if reply.prompt_tokens is not None else "does not tell")
    run.note("usage", reply.prompt_tokens is not None, f"{how} how many tokens were read")
    return reply


async def _find_window(run: _Run) -> None:
    """The real window: what the engine says of this model (after a call, which loads it)."""
    if "context_window" in run.found.findings:
        return
    model_id = _model_id(run)
    if run.found.engine == "ollama":
        await _find_ollama_window(run, model_id)
    elif (listed := window_in_list(run.found, model_id)) is not None:
        run.note("context_window", *listed)


async def _find_ollama_window(run: _Run, model_id: str | None) -> None:
    """With the native API `num_ctx` is ours to set, up to what the model was trained for; /v1 keeps the server's own."""
    root = run.found.root
    if run.target.model.api is ApiKind.OLLAMA:
        shown = await post(run.target, f"{root}/api/show", {"model": model_id}, headers=bearer(run.target))
        info = shown.data.get("model_info") or {}
        name = f"{info.get('general.architecture')}.context_length"
        run.note("context_window", info.get(name), f"{name} of POST /api/show; num_ctx is set for each call")
        return
    page = await get(run.target, f"{root}/api/ps")
    loaded = (page.data or {}).get("models") or []
    mine = [model for model in loaded if _listed(str(model_id), [str(model.get("name")), str(model.get("model"))])]
    if mine:
        run.note("context_window", mine[0].get("context_length"), "context_length of GET /api/ps, while it is loaded")


def _compare_counts(run: _Run, short_count: int | None, long_count: int | None, short: Reply, long: Reply) -> None:
    """What BOS and chat template add, and whether our tokenizer is the model's: the difference of two texts shows it."""
    if short_count is None or long_count is None or short.prompt_tokens is None or long.prompt_tokens is None:
        return
    ours, theirs = long_count - short_count, long.prompt_tokens - short.prompt_tokens
    whose = "our" if run.counter is not None else "its own tokenizer's"
    fits = abs(ours - theirs) <= max(2, ours // 100)
    run.note(
        "tokenizer_fits", fits, f"of two texts, one is {ours} tokens longer by {whose} count, {theirs} by its usage"
    )
    overhead = short.prompt_tokens - short_count
    if fits and overhead >= 0:
        how = f"it read {short.prompt_tokens} tokens of a text that has {short_count} by {whose} count"
        run.note("overhead_tokens", overhead, how)


async def _try_prefill(run: _Run) -> None:
    if run.target.model.api in _NO_TURNS or (run.target.model.base_url or "").rstrip("/").endswith("/api/generate"):
        run.note("prefill", True, "the prompt is one text, which the model continues")
        return
    if run.target.model.api is ApiKind.KOBOLDCPP and run.found.root == (run.target.model.base_url or "").rstrip("/"):
        run.note("prefill", True, "the native API continues one text")
        return
    try:
        plain, filled = await run.ask(COUNTING), await run.ask(COUNTING, 8, prefill=COUNTED)
    except CallError as error:
        run.note("prefill", False, f"a call that starts the assistant's turn fails: {error.message[:200]}")
        return
    tokens = await run.count(COUNTED)
    if tokens is not None and plain.prompt_tokens is not None and filled.prompt_tokens is not None:
        added = filled.prompt_tokens - plain.prompt_tokens
        how = f"a prefill of {tokens} tokens made the prompt {added} longer; a turn that is closed first adds more"
        run.note("prefill", abs(added - tokens) <= 2, how)
        return
    continued = filled.answer.strip().startswith("13")
    run.note(
        "prefill", continued, f"counting was started up to 12, the model went on with {filled.answer.strip()[:20]!r}"
    )


async def _try_overlong(run: _Run, long: Reply) -> None:
    """Whether a prompt beyond the window is refused or cut; only where trying it is cheap."""
    engine, native = run.found.engine, run.target.model.api is ApiKind.OLLAMA
    window = 4096 if native else run.facts.get("context_window")
    if run.target.model.api is ApiKind.KOBOLDCPP:
        run.note("long_prompts", "refused", "by this worker: KoboldCpp cuts, so its tokenizer counts before sending")
        return
    cheap = "refuses" if engine in _REFUSING else "may cut"
    if not isinstance(window, int) or window > _LONGEST_TRY[cheap] or long.prompt_tokens is None:
        if engine in _REFUSING:
            run.note("long_prompts", "refused", f"not tried; {engine} refuses them")
        return
    per_token = len(LONG) / max(long.prompt_tokens, 1)
    text = "The grass is green. The sky is blue. " * (int(window * per_token * 1.25 + 2000) // 37)
    extra_body = {"options": {"num_ctx": window}} if native else None
    try:
        async with asyncio.timeout(OVERLONG_SECONDS):
            reply = await run.ask(text, extra_body=extra_body)
    except ContextOverflow as error:
        run.note("long_prompts", "refused", f"a prompt of a quarter more than the window: {error.message[:200]}")
    except TimeoutError:
        run.note("long_prompts", "cut", f"a prompt beyond the window was not refused within {OVERLONG_SECONDS:.0f} s")
    except CallError as error:
        run.note("long_prompts", "refused", f"a prompt of a quarter more than the window: {error.message[:200]}")
    else:
        read, sent = reply.prompt_tokens, int(len(text) / per_token)
        cut = read is None or read < 0.97 * sent
        run.note("long_prompts", "cut" if cut else "read", f"it read {read} of about {sent} tokens and answered 200")


async def _probe_command(target: Target) -> dict[str, Finding]:
    """A program: that it is there. It is not run, since a run may cost much."""
    program = target.model.command[0]
    done = await complete(target.driver, ["sh", "-c", 'command -v "$1"', "sh", program], deadline=30)
    if not done.exit.ok:
        raise CallError("not_found", f"there is no program {program!r} on that machine", permanent=True)
    return {"engine": Finding(value="command", how=f"{done.stdout.decode(errors='replace').strip()} is there")}


def _done(findings: dict[str, Finding]) -> Probe:
    return Probe(ok=True, at=datetime.now(UTC), findings=findings)


def _failed(problem: str) -> Probe:
    return Probe(ok=False, problem=problem, at=datetime.now(UTC))
