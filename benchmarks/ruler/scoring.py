"""RULER's metrics: recall of the expected texts as substrings (reference: scripts/eval/synthetic/constants.py,
post-processing scripts/eval/evaluate.py, both at c3f5e3b)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Literal

from benchmarks.base import Sample
from benchmarks.ruler.tasks import Metric

Normalise = Literal["lower", "nfkc-casefold"]

BINS = 20
"""Parts of a prompt by which answers are told apart."""

_CONTROL = re.compile(r"[\x00-\x1f]")


def postprocess(answer: str | None) -> str:
    """What the reference makes of an answer before it scores it: stripped, control characters turned to newlines."""
    return _CONTROL.sub("\n", (answer or "").strip()).strip()


def normaliser(name: Normalise) -> Callable[[str], str]:
    """`lower` is the reference's; `nfkc-casefold` the Danish adaptation's (NFKC, casefold, strip)."""
    return str.lower if name == "lower" else _nfkc_casefold


def _nfkc_casefold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def matched(answer: str, expected: Sequence[str], normalise: Normalise = "lower") -> list[bool]:
    """For each expected text, whether the post-processed answer holds it."""
    normal = normaliser(normalise)
    visible = normal(postprocess(answer))
    return [normal(text) in visible for text in expected]


def string_match_all(answer: str, expected: Sequence[str], normalise: Normalise = "lower") -> float:
    """The share of the expected texts that the answer holds, 0 to 1."""
    return sum(matched(answer, expected, normalise)) / len(expected)


def string_match_part(answer: str, expected: Sequence[str], normalise: Normalise = "lower") -> float:
    """1 when the answer holds any of the expected texts, else 0."""
    return float(any(matched(answer, expected, normalise)))


def score(metric: Metric, answer: str, expected: Sequence[str], normalise: Normalise = "lower") -> float:
    """One answer by the metric of its task, 0 to 1."""
    match = string_match_all if metric == "all" else string_match_part
    return match(answer, expected, normalise)


def mean_percent(scores: Sequence[float]) -> float:
    """The figure the reference prints for a task: the mean in percent, rounded to two decimals."""
    return round(sum(scores) / len(scores) * 100, 2)


def depth_bin(sample: Sample) -> str:
    """The lower end, in percent, of the 5 % of the prompt in which the first expected answer stands.

    The rule of the Danish adaptation's depth plot: token position of the answer over the prompt's tokens (rlrs/RULER-da
    at 5e934c0, plot_niah.py).
    """
    share = sample.detail["token_position_answer"] / max(1, sample.tokens)
    return str(int(min(max(share, 0.0), 0.999) * BINS) * 100 // BINS)
