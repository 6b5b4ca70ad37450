"""API kind `command`: any program. Context on stdin or as a file, question as an argument, answer on stdout.

In the model's `command`, `{question}` stands for the question, `{context}` for the path of a file that holds the
context, `{max_tokens}` for the answer budget and `{model}` for the model's id. Without `{context}` the context comes on
stdin; without `{question}` the question is the last argument. A prompt that does not say which part is its question is
all context. The environment is built, not inherited: PATH, HOME, LANG, the model's API key under its own name, and
FATHOM_MAX_TOKENS, FATHOM_SYSTEM where there is a system prompt.

Exit code 0 makes stdout the answer, 75 (EX_TEMPFAIL) or a signal asks for another try, any other is an error.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from workers.apis.base import Call, Reply, Target
from workers.drivers.base import Completed, complete
from workers.errors import CallError, UnsupportedApi

TRY_AGAIN = 75
LONGEST_QUESTION = 100_000
"""Bytes that may be an argument; Linux takes 128 KiB."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A prompt taken apart."""

    context: str
    question: str | None


def parts(call: Call) -> Parts:
    """Context and question of a call; the question ends with the answer prefix in mode `suffix`."""
    prompt = call.prompt
    if prompt.context is None or prompt.question is None:
        return Parts(call.plain_text, None)
    prefix = prompt.answer_prefix if call.answer_prefix == "suffix" else ""
    return Parts(prompt.input[slice(*prompt.context)], prompt.input[slice(*prompt.question)] + prefix)


async def call(target: Target, call: Call) -> Reply:
    """Run the program once and take its stdout as the answer. Cancelled or out of time, its process tree is killed."""
    asked = parts(call)
    if asked.question is not None and len(asked.question.encode()) > LONGEST_QUESTION:
        raise UnsupportedApi(f"the question is longer than {LONGEST_QUESTION} bytes: it cannot be an argument")
    timeouts = target.model.timeouts
    deadline = timeouts.total + timeouts.per_1k_tokens * call.prompt_tokens / 1000
    content = asked.context.encode("utf-8", "surrogatepass")
    async with AsyncExitStack() as stack:
        path = None
        if any("{context}" in word for word in target.model.command):
            path = await stack.enter_async_context(target.driver.temporary_file(content, "context.txt"))
        command = arguments(target, call, asked, path)
        try:
            done = await complete(
                target.driver,
                command,
                stdin=b"" if path else content,
                env=_environment(target, call),
                deadline=deadline,
            )
        except TimeoutError as error:
            raise CallError("timeout", f"total timeout: {command[0]!r} was killed after {deadline:.0f} s") from error
    return _reply(command[0], done)


def arguments(target: Target, call: Call, asked: Parts, path: str | None) -> list[str]:
    """The command with its placeholders filled in, the question at its end where it has none for it."""
    known = {
        "{question}": asked.question or "",
        "{context}": path or "",
        "{max_tokens}": str(call.max_tokens),
        "{model}": target.model_id or "",
    }
    if not target.model.command:
        raise CallError("bad_request", f"model {target.model.name!r} has no command", permanent=True)
    filled = [_fill(word, known) for word in target.model.command]
    if asked.question is not None and not any("{question}" in word for word in target.model.command):
        filled.append(asked.question)
    return filled


def _fill(word: str, known: dict[str, str]) -> str:
    """Replace placeholders once, from left to right: what a question holds is never taken for a placeholder."""
    for start, _ in enumerate(word):
        for name, value in known.items():
            if word.startswith(name, start):
                return word[:start] + value + _fill(word[start + len(name) :], known)
    return word


def _environment(target: Target, call: Call) -> dict[str, str]:
    environment = {"FATHOM_MAX_TOKENS": str(call.max_tokens)}
    if call.system:
        environment["FATHOM_SYSTEM"] = call.system
    if target.model.api_key_env and target.api_key:
        environment[target.model.api_key_env] = target.api_key
    return environment


def _reply(program: str, done: Completed) -> Reply:
    said = done.stderr[-2000:].decode(errors="replace").strip()
    if not done.exit.ok:
        how = f"exit code {done.exit.status}" if done.exit.status is not None else f"signal {done.exit.signal}"
        again = done.exit.status in (None, TRY_AGAIN)
        raise CallError("exit", f"{program!r} ended with {how}: {said or '(nothing on stderr)'}", permanent=not again)
    if done.truncated:
        raise CallError("too_large", f"{program!r} wrote more than {len(done.stdout)} bytes", permanent=True)
    answer = done.stdout.decode(errors="replace").rstrip("\n")
    return Reply(answer=answer, finish_reason="stop", detail={"stderr": said} if said else {})
