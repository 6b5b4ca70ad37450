"""Whether a reply is a measurement, and of what kind. Pure functions.

The rules: a score counts only when the whole prompt was read and the model had its say. What the benchmark itself
would score (an answer cut by the token limit, an empty answer) is scored and noted; everything else is set apart.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from benchmarks.base import Prompt
from protocol.jobs import Status
from workers.apis.base import Reply

SHORT_SHARE, SHORT_TOKENS = 0.02, 32
"""A prompt is truncated when the server read less than we sent by more than both: this share, and this many tokens."""

_BLOCK = re.compile(r"<(think|thinking)>(.*?)</\1>\s*", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<(?:think|thinking)>(.*)\Z", re.DOTALL | re.IGNORECASE)
_CLOSE = re.compile(r"\A(.*)</(?:think|thinking)>\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Visible:
    """A reply's text taken apart; `unclosed` when it ends inside of a thinking block."""

    answer: str
    thinking: str | None
    unclosed: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The status of a reply; `why` says in words what is wrong with it."""

    status: Status
    why: str | None = None


def take_thinking_off(text: str, apart: str | None = None) -> Visible:
    """Split visible answer from thinking: what the API gave apart, `<think>…</think>` blocks, a block never closed, and
    text before a closing tag whose opening one was part of the chat template."""
    if "think" not in text and "THINK" not in text:
        return Visible(text, apart or None)
    thoughts = [apart] if apart else []
    thoughts += [match.group(2) for match in _BLOCK.finditer(text)]
    text = _BLOCK.sub("", text)
    closing = _CLOSE.match(text)
    if closing:
        thoughts.insert(0, closing.group(1))
        text = text[closing.end() :]
    opening = _OPEN.search(text)
    if opening:
        thoughts.append(opening.group(1))
        text = text[: opening.start()]
    joined = "\n\n".join(thought.strip() for thought in thoughts if thought.strip())
    return Visible(text, joined or None, opening is not None)


def too_large(prompt_tokens: int, overhead: int, max_tokens: int, window: int | None) -> str | None:
    """Why a prompt must not be sent to a model with that window (tokens), or None: prompt and answer must both fit."""
    need = prompt_tokens + overhead + max_tokens
    if window is None or need <= window:
        return None
    return (
        f"not sent: {prompt_tokens} prompt + {overhead} overhead + {max_tokens} answer = {need} tokens, "
        f"the model's window is {window}"
    )


def missing_tokens(sent: int, overhead: int, read: int | None) -> int | None:
    """By how many tokens the server read less than we sent when that is too much to be a difference in counting."""
    if read is None:
        return None
    missing = sent - (read - overhead)
    return missing if missing > SHORT_TOKENS and missing > SHORT_SHARE * sent else None


def judge(reply: Reply, visible: Visible, sent: int, overhead: int) -> Judgement:
    """The status of a 200, by what the server read, why it stopped, and what is left of the answer.

    `sent` is our own token count of the prompt, `overhead` what the chat wrapper adds to it.
    """
    missing = missing_tokens(sent, overhead, reply.prompt_tokens)
    if missing is not None:
        return Judgement(
            Status.TRUNCATED_PROMPT,
            f"the server read {reply.prompt_tokens} of {sent} + {overhead} tokens: {missing} are missing",
        )
    if reply.finish_reason == "content_filter":
        return Judgement(Status.ERROR, "the server's content filter withheld the answer")
    cut = reply.finish_reason == "length"
    if visible.answer.strip():
        return Judgement(Status.CUT_ANSWER, "the token limit was reached") if cut else Judgement(Status.OK)
    return _judge_nothing(reply, visible, cut)


def _judge_nothing(reply: Reply, visible: Visible, cut: bool) -> Judgement:
    thought = bool(visible.thinking) or bool(reply.thinking_tokens)
    if visible.unclosed or (cut and thought):
        return Judgement(Status.THINKING_CUT, "the token budget was spent on thinking, there is no visible answer")
    if reply.completion_tokens == 0 or (reply.completion_tokens is None and reply.finish_reason is None):
        return Judgement(Status.NO_TOKENS, "the server answered 200 and generated nothing")
    if cut and not reply.answer:
        return Judgement(Status.THINKING_CUT, "the token budget was spent on what the server does not show")
    return Judgement(Status.EMPTY_ANSWER, "the model finished with an empty answer")


_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


def code_word(seed: str) -> str:
    """A code word that no corpus holds and any model can copy; the same for the same seed."""
    digest = hashlib.sha256(seed.encode()).digest()
    letters = "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:4])
    return f"{letters}-{int.from_bytes(digest[4:8], 'big') % 9000 + 1000}"


def with_canary(prompt: Prompt, word: str) -> Prompt:
    """The prompt with the code word at its very start, where a cut of the front removes it first."""
    line = f"Code word: {word}\n\n"
    shift = len(line)

    def moved(span: tuple[int, int]) -> tuple[int, int]:
        return span[0] + shift, span[1] + shift

    return replace(
        prompt,
        input=line + prompt.input,
        context=moved(prompt.context) if prompt.context else None,
        question=moved(prompt.question) if prompt.question else None,
        independent=tuple(moved(span) for span in prompt.independent),
    )


def canary_question(prompt: Prompt) -> Prompt:
    """The same prompt, asking for the code word in the end: it is as long, so a server that cuts cuts it alike."""
    question = (
        "\n\nForget the questions above. Which code word is at the very start of this text? Answer with it alone."
    )
    return replace(prompt, input=prompt.text + question, answer_prefix="", question=None)


def canary_seen(answer: str, word: str) -> bool:
    """Whether an answer holds the code word; case and what is between its parts do not matter."""
    letters, digits = word.split("-")
    return re.search(rf"{letters}\W*{digits}", answer, re.IGNORECASE) is not None
