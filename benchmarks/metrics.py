"""Statistics of scores, computed from how often each score occurs: a million samples cost no more than ten.

Every function takes a map of score to count, scores from 0 to 1. None means that there is nothing to compute from.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

Counts = Mapping[float, int]

QUANTILE_NOTE = "percentiles: the sorted score at index floor(n x p / 100) (RULER-for-SPNL's rule)"
INTERVAL_NOTE = (
    "95% interval of a mean: Wilson score when all scores are 0 or 1, or all are equal; else Student's t, cut to 0..100"
)
COMBINED_NOTE = (
    "95% interval of a mean of means: MOVER, the means' own intervals recombined (Zou and Donner 2008, "
    "Statistics in Medicine 27, 1693)"
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; low and high are None where the data allow none."""

    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class RulerBlock:
    """The statistics RULER ports print of a cell; `n` measurements, `perfect` of which have the full score."""

    n: int
    avg: float
    min: float
    p25: float
    p50: float
    p75: float
    p90: float
    p99: float
    max: float
    perfect: int


def merge(maps: Iterable[Counts]) -> dict[float, int]:
    """The scores of several cells as one map."""
    merged: dict[float, int] = {}
    for counts in maps:
        for score, count in counts.items():
            merged[score] = merged.get(score, 0) + count
    return merged


def size(counts: Counts) -> int:
    """How many scores there are."""
    return sum(counts.values())


def mean(counts: Counts) -> float | None:
    """The arithmetic mean; exact summation, so that the order of scores does not matter."""
    n = size(counts)
    return math.fsum(score * count for score, count in counts.items()) / n if n else None


def standard_deviation(counts: Counts, *, sample: bool) -> float | None:
    """Sample (divisor n - 1, from two scores on) or population standard deviation (divisor n)."""
    n, centre = size(counts), mean(counts)
    if centre is None or n - sample < 1:
        return None
    squares = math.fsum(count * (score - centre) ** 2 for score, count in counts.items())
    return math.sqrt(squares / (n - sample))


def quantile_floor(counts: Counts, percent: int) -> float | None:
    """The sorted score at index floor(n * percent / 100), at most the last: of 1..100, p25 is 26 and p99 is 100.
    (RULER-for-SPNL, `quantile` in spnl/benches/ruler.rs at 81867c0.)"""
    n = size(counts)
    return _at(counts, min(n * percent // 100, n - 1)) if n else None


def quantile_nearest_rank(counts: Counts, percent: int) -> float | None:
    """The sorted score of rank ceil(n * percent / 100), at least the first: of 1..100, p25 is 25."""
    n = size(counts)
    return _at(counts, max(-(-n * percent // 100), 1) - 1) if n else None


def _at(counts: Counts, index: int) -> float:
    """The score at an index of the sorted scores."""
    for score in sorted(counts):
        index -= counts[score]
        if index < 0:
            return score
    raise IndexError(index)


def ruler_block(counts: Counts) -> RulerBlock | None:
    """Mean, extremes, quantiles by the floor index, and how many scores are perfect."""
    present = [score for score, count in counts.items() if count]
    average = mean(counts)
    if average is None:
        return None
    perfect = sum(count for score, count in counts.items() if score >= 1)
    p25, p50, p75, p90, p99 = (quantile_floor(counts, percent) or 0.0 for percent in (25, 50, 75, 90, 99))
    return RulerBlock(size(counts), average, min(present), p25, p50, p75, p90, p99, max(present), perfect)


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a proportion (Wilson 1927, JASA 22, 209), without continuity correction.

    For scores between 0 and 1 with the same sum it is conservative: their variance is at most mean * (1 - mean).
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (0.0 if successes == 0 else max(0.0, centre - half), 1.0 if successes == n else min(1.0, centre + half))


def student(counts: Counts, confidence: float = 0.95) -> tuple[float, float] | None:
    """Student's t interval of the mean, cut to 0..1; None below two scores."""
    from scipy.special import stdtrit  # half a second to import, wanted by summaries alone

    n, centre, deviation = size(counts), mean(counts), standard_deviation(counts, sample=True)
    if centre is None or deviation is None:
        return None
    half = float(stdtrit(n - 1, 0.5 + confidence / 2)) * deviation / math.sqrt(n)
    return max(0.0, centre - half), min(1.0, centre + half)


def estimate(counts: Counts, confidence: float = 0.95) -> Estimate | None:
    """The mean with its interval, by the method that `INTERVAL_NOTE` names. A single fractional score has none."""
    centre = mean(counts)
    if centre is None:
        return None
    present = {score for score, count in counts.items() if count}
    if present <= {0.0, 1.0} or (len(present) == 1 and size(counts) > 1):
        return Estimate(centre, *wilson(centre * size(counts), size(counts), confidence))
    return Estimate(centre, *(student(counts, confidence) or (None, None)))


def combine(estimates: Sequence[Estimate], weights: Sequence[float] | None = None) -> Estimate:
    """A weighted mean of independent estimates with its interval by MOVER; weights are brought to a sum of 1."""
    raw = weights or [1.0] * len(estimates)
    shares = [weight / math.fsum(raw) for weight in raw]
    pairs = list(zip(shares, estimates, strict=True))
    centre = math.fsum(share * e.mean for share, e in pairs)
    below = [share * (e.mean - e.low) for share, e in pairs if e.low is not None]
    above = [share * (e.high - e.mean) for share, e in pairs if e.high is not None]
    if len(below) < len(pairs) or len(above) < len(pairs):
        return Estimate(centre)
    return Estimate(centre, max(0.0, centre - math.hypot(*below)), min(1.0, centre + math.hypot(*above)))
