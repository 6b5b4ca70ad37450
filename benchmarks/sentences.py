"""Sentences of a text, by Punkt (Kiss & Strunk 2006) with the tables of NLTK's punkt_tab."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from benchmarks.errors import OptionsError


@lru_cache(maxsize=16)
def _splitter(language: str) -> Any:
    import punkt  # loading a model takes a moment

    if language not in punkt.available_languages():
        known = ", ".join(sorted(punkt.available_languages()))
        raise OptionsError("language", language, f"no sentence splitter of that name; there are: {known}")
    return punkt.tokenizer_for(language)


def split(text: str, language: str = "english") -> list[str]:
    """The sentences in order, without the white space between them. Raises OptionsError for an unknown language."""
    sentences: list[str] = _splitter(language).tokenize(text)
    return sentences
