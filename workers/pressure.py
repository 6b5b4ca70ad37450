"""How full an engine says it is: what its Prometheus metrics mean, engine by engine.

Names as the engines document them: vLLM (docs/design/metrics.md; the cache was `gpu_cache_usage_perc` in V0), SGLang
(production metrics; served with `--enable-metrics`), llama.cpp's server (served with `--metrics`), TGI (metrics).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

CACHE_FULL = 0.9
"""The part of the key-value cache from which vLLM's and SGLang's schedulers start to preempt or retract calls."""
_RANKS = frozenset({"tp_rank", "pp_rank", "moe_ep_rank", "pid"})
"""Labels of processes that work on the same calls: each tells the same queue."""


@dataclass(frozen=True, slots=True)
class Pressure:
    """Calls that wait at an engine and that it works on, whoever sent them, and the part of its key-value cache that is
    in use (0 to 1). None where it does not say."""

    waiting: float = 0.0
    running: float | None = None
    cache_used: float | None = None

    @property
    def crowded(self) -> str:
        """Why more calls would only wait, in words; empty when they would not."""
        if self.waiting > 0:
            return f"engine queue: {self.waiting:g} waiting"
        if self.cache_used is not None and self.cache_used >= CACHE_FULL:
            return f"engine cache: {self.cache_used:.0%} used"
        return ""

    def share(self, in_flight: int) -> float:
        """How many of the waiting calls are ours: they wait in the order they came, so in proportion to what is there."""
        if self.running is None:
            return min(self.waiting, in_flight)
        return self.waiting * min(1.0, in_flight / max(self.waiting + self.running, 1.0))


@dataclass(frozen=True, slots=True)
class _Names:
    waiting: str
    running: str
    cache: tuple[str, ...] = ()


_NAMES = {
    "vllm": _Names(
        "vllm:num_requests_waiting",
        "vllm:num_requests_running",
        ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    ),
    "sglang": _Names("sglang:num_queue_reqs", "sglang:num_running_reqs", ("sglang:token_usage",)),
    "llama.cpp": _Names("llamacpp:requests_deferred", "llamacpp:requests_processing"),
    "tgi": _Names("tgi_queue_size", "tgi_batch_current_size"),
}
ENGINES = frozenset(_NAMES)
"""Engines, by the probe's names, whose metrics are understood."""


def read(engine: str, text: str, model_id: str | None = None) -> Pressure | None:
    """What a page of metrics says of a model; None when it names neither queue nor cache, or is no such page.

    Where several models are told apart by `model_name`, those of `model_id` count, if there are any. Queues of
    data-parallel replicas are added up; of their caches the fullest counts.
    """
    names = _NAMES[engine]
    try:
        samples = _samples(text, {names.waiting, names.running, *names.cache})
    except ValueError:
        return None
    waiting = _value(samples[names.waiting], model_id, sum)
    running = _value(samples[names.running], model_id, sum)
    cache = next((used for name in names.cache if (used := _value(samples[name], model_id, max)) is not None), None)
    if waiting is None and cache is None:
        return None
    return Pressure(waiting or 0.0, running, cache)


def _samples(text: str, wanted: set[str]) -> Mapping[str, list[Sample]]:
    """Samples by name. Only their lines are parsed: pages hold thousands of histogram buckets."""
    lines = [line for line in text.splitlines() if line.partition("{")[0].partition(" ")[0] in wanted]
    found: defaultdict[str, list[Sample]] = defaultdict(list)
    for family in text_string_to_metric_families("\n".join(lines) + "\n"):
        for sample in family.samples:
            if math.isfinite(sample.value) and sample.value >= 0:
                found[sample.name].append(sample)
    return found


def _value(samples: list[Sample], model_id: str | None, gather: Callable[[Iterable[float]], float]) -> float | None:
    ours = [sample for sample in samples if sample.labels.get("model_name") == model_id]
    replicas: dict[frozenset[tuple[str, str]], float] = {}
    for sample in ours or samples:
        replica = frozenset(label for label in sample.labels.items() if label[0] not in _RANKS)
        replicas[replica] = max(sample.value, replicas.get(replica, 0.0))
    return float(gather(replicas.values())) if replicas else None
