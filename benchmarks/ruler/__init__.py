"""RULER: 13 synthetic tasks that show up to which context length a model really reads (arXiv:2404.06654)."""

from benchmarks.ruler.benchmark import BENCHMARK

__all__ = ["BENCHMARK"]
