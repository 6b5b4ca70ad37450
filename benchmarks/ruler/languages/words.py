"""Word lists from installed packages or language files, the same on every machine, with a name and a hash for the results."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.errors import InvalidAsset

if TYPE_CHECKING:
    from benchmarks.ruler.languages import WordSource

_WONDERWORDS = {"nouns": "nounlist.txt", "adjectives": "adjectivelist.txt", "verbs": "verblist.txt"}


@dataclass(frozen=True, slots=True)
class WordList:
    """Distinct words in a fixed order. `name` says where they are from, `sha256` is of the words joined by newlines."""

    name: str
    sha256: str
    words: tuple[str, ...]

    def named(self) -> dict[str, str]:
        """What results say of it."""
        return {"name": self.name, "sha256": self.sha256}


@lru_cache(maxsize=32)
def load_words(source: WordSource) -> WordList:
    """The words of a source, duplicates dropped.

    From `wonderwords:` they are as the package has them, sorted, as RULER uses them. Those of `wordfreq:<language>`
    and of the language file itself stay in order (most frequent first) and are kept when they are letters only,
    between `min_length` and `max_length` characters, written small and NFC-normalised. Raises InvalidAsset for a
    source that there is not.
    """
    words: dict[str, None] = dict.fromkeys(_cleaned(source.words, source))
    for reference in source.sources:
        words.update(dict.fromkeys(_kept(reference, source)))
    chosen = tuple(sorted(words)) if _of_wonderwords(source) else tuple(words)[: source.limit]
    return WordList(name_of(source), hashlib.sha256("\n".join(chosen).encode()).hexdigest(), chosen)


def _kept(reference: str, source: WordSource) -> Iterator[str]:
    kind, _, value = reference.partition(":")
    if kind == "wonderwords":
        yield from _wonderwords(value)
        return
    yield from _cleaned(_wordfreq(value), source)


def _cleaned(raw: Iterable[str], source: WordSource) -> Iterator[str]:
    excluded = frozenset(source.exclude)
    for text in raw:
        word = unicodedata.normalize("NFC", text.strip().lower())
        if source.min_length <= len(word) <= source.max_length and word.isalpha() and word not in excluded:
            yield word


def _wonderwords(which: str) -> list[str]:
    if which not in _WONDERWORDS:
        raise InvalidAsset("words", f"wonderwords has no list {which!r}; there are: {', '.join(_WONDERWORDS)}")
    spec = find_spec("wonderwords")  # its files, without its programs
    if spec is None or not spec.submodule_search_locations:
        raise InvalidAsset("words", "the package wonderwords is not installed")
    text = (Path(spec.submodule_search_locations[0]) / "assets" / _WONDERWORDS[which]).read_text(encoding="utf-8")
    return [line.rstrip() for line in text.splitlines() if line.rstrip()]


def _wordfreq(language: str) -> list[str]:
    import wordfreq  # takes a tenth of a second to import

    available = wordfreq.available_languages("best")
    if language not in available:
        raise InvalidAsset("words", f"wordfreq has no language {language!r}; it has {', '.join(sorted(available))}")
    # iter_wordlist is ordered by frequency; the order within a frequency is fixed by the package's file.
    return list(wordfreq.iter_wordlist(language, wordlist="best"))


def _of_wonderwords(source: WordSource) -> bool:
    return not source.words and all(reference.startswith("wonderwords:") for reference in source.sources)


def name_of(source: WordSource) -> str:
    """E.g. `wordfreq 3.1.1 da, 4-12 letters, first 3000`."""
    parts = [f"{len(source.words)} words of the language file"] if source.words else []
    for reference in source.sources:
        kind, _, value = reference.partition(":")
        parts.append(f"{kind} {version(kind)} {value}")
    name = " + ".join(parts)
    if _of_wonderwords(source):
        return name
    name += f", {source.min_length}-{source.max_length} letters"
    return name + (f", first {source.limit}" if source.limit else "")
