"""Combinations of options that cannot work, refused before anything is queued."""

from __future__ import annotations

from benchmarks.errors import OptionsError
from benchmarks.ruler.options import RulerOptions, TaskSettings, settings
from benchmarks.ruler.tasks import DEPTHS

_FIXED_PART = 32
"""Tokens: no prompt of any task is shorter, whatever the tokenizer. The exact limit needs one: `Source.check`."""


def check(options: RulerOptions) -> None:
    """Raise OptionsError for the first combination that cannot work."""
    tasks = [settings(options, name) for name in options.tasks]
    _check_reference(options)
    if options.depths is not None and not any(t.task.family == "niah" for t in tasks):
        raise OptionsError("depths", options.depths, "depths are of needles, and no NIAH task is among `tasks`")
    for task in tasks:
        _check_lengths(options, task)
        if task.task.family == "niah":
            _check_needles(options, task)
        if task.task.family == "vt" and options.stream == "reference" and task.haystack != "noise":
            raise OptionsError("haystack", task.haystack, "vt is in `noise` in the reference's random stream")
        if task.task.family == "vt" and task.haystack == "needle":
            raise OptionsError(
                "haystack", "needle", "vt hides its chains in `noise` or `essay`; leave vt out of `tasks` or choose one"
            )
        if task.task.family == "cwe" and options.freq_ucw >= options.freq_cw:
            raise OptionsError(
                "freq_ucw",
                options.freq_ucw,
                f"must be below freq_cw ({options.freq_cw}), or the common words are not the most common ones",
            )
        if task.task.family == "fwe":
            _check_coded_words(options)


def _check_reference(options: RulerOptions) -> None:
    """The reference's wording of the paper era and its random stream exist for English alone, and for what it varies."""
    if options.language != "en" and options.profile == "paper":
        raise OptionsError("profile", "paper", f"exists for language en only, not {options.language}; use `head`")
    if options.stream != "reference":
        return
    for field, what in (("language", "en"), ("depths", None), ("documents", None), ("num_fewshot", 1)):
        value = getattr(options, field)
        if value != what:
            raise OptionsError(
                field,
                value,
                "the reference cannot do this, so its random stream does not exist; use stream `independent`",
            )


def _check_lengths(options: RulerOptions, task: TaskSettings) -> None:
    for number, length in enumerate(options.lengths):
        least = task.output_tokens + options.buffer + _FIXED_PART
        if length < least:
            raise OptionsError(
                f"lengths.{number}",
                length,
                f"{task.task.name} keeps {task.output_tokens} tokens for the answer"
                + (f" and {options.buffer} as buffer" if options.buffer else "")
                + f": at least {least} are needed",
            )


def _check_needles(options: RulerOptions, task: TaskSettings) -> None:
    if task.queries > task.keys:
        raise OptionsError(
            "num_needle_q" if options.num_needle_q else "num_needle_k",
            options.num_needle_q or options.num_needle_k,
            f"{task.task.name} would ask for {task.queries} keys, and only {task.keys} are hidden; "
            f"queries can't exceed keys (num_needle_k)",
        )
    needles = task.keys * task.values
    if options.depths is None and task.haystack == "essay" and needles > len(DEPTHS):
        raise OptionsError(
            "num_needle_k" if options.num_needle_k or not options.num_needle_v else "num_needle_v",
            options.num_needle_k or options.num_needle_v or task.keys,
            f"{task.task.name} would hide {task.keys} x {task.values} = {needles} needles, and there are {len(DEPTHS)} "
            f"depths to draw from; at most {len(DEPTHS)} needles, or give `depths`",
        )


def _check_coded_words(options: RulerOptions) -> None:
    """There must be enough different coded words; ten times as many, so that drawing them does not take for ever."""
    possible = 26**options.coded_wordlen
    for length in options.lengths:
        wanted = options.vocab_size or length // 50
        if wanted * 10 > possible:
            raise OptionsError(
                "coded_wordlen",
                options.coded_wordlen,
                f"{possible} words of that many letters are too few for a vocabulary of {wanted} (fwe at length {length}); "
                f"give more letters, or a vocab_size of at most {possible // 10}",
            )
