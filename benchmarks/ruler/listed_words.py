"""The words that cwe lists: the language's own, and where a long prompt needs more of them, those of `wordfreq`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.errors import OptionsError
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.common_words import WordsParameters, different_words
from benchmarks.ruler.files import Files
from benchmarks.ruler.fitting import Meter
from benchmarks.ruler.languages import Language, WordSource
from benchmarks.ruler.languages.words import WordList, load_words, name_of
from benchmarks.tokenizers import Cut

_LETTERS = (3, 14)  # of the words added
_BYTES = 4 * _LETTERS[1] + 1  # the most a word of them and the newline after it take


def list_words(
    language: Language, parameters: WordsParameters, budget: int, meter: Meter, files: Files, length: int
) -> tuple[list[WordList], Sequence[str]]:
    """Word lists, and enough of their words for a cwe prompt of that budget.

    When the language's list is too short, the reference's English words serve if given, else the words of `wordfreq`,
    most frequent first. Raises OptionsError when those are too few as well.
    """
    own = language.words("list")
    costs = meter.kept(Cut.SPACE, [" " + word for word in own.words[:2000]])
    each = float(costs.mean()) + float(meter.space(" 1234."))
    wanted = int(1.03 * different_words(parameters, budget, each)) + 20
    if wanted <= len(own.words):
        frequent_first = not own.name.startswith("wonderwords")
        return [own], own.words[: max(wanted, 8192)] if frequent_first else own.words
    more = files.english_words()
    if more is not None:
        name = files.describe("english_words")["english_words"]
        return [WordList(str(name["name"]), str(name["sha256"]), ())], more
    extra, words, count = _more_words(language, own, wanted - len(own.words), files.cache)
    total = len(own.words) + count
    if wanted > total:
        raise OptionsError("lengths", length, f"cwe would list about {wanted} different words; there are {total}")
    return [own, extra], [*own.words, *words]


def _more_words(language: Language, own: WordList, wanted: int, cache: Cache) -> tuple[WordList, list[str], int]:
    """The list of `wordfreq`, the first so many of its words that are not among the language's own, and how many there
    are. Its hundred thousands are read and cleaned once; then only the beginning of a file is read."""
    source = WordSource((f"wordfreq:{language.code}",), min_length=_LETTERS[0], max_length=_LETTERS[1])

    def make() -> Mapping[str, NDArray[Any]]:
        found, known = load_words(source), {word.lower() for word in own.words}
        words = [word for word in found.words if word not in known]
        text = np.frombuffer("\n".join(words).encode(), dtype=np.uint8)
        return {"text": text, "count": np.array([len(words)]), "sha256": np.array([found.sha256])}

    key = ("more-words", 1, version("wordfreq"), language.code, own.sha256, *_LETTERS)
    stored = cache.mapped(key, make)
    beginning = stored["text"][: wanted * _BYTES].tobytes().decode(errors="ignore")
    return (
        WordList(name_of(source), str(stored["sha256"][0]), ()),
        beginning.split("\n")[:wanted],
        int(stored["count"][0]),
    )
