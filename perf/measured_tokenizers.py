"""Tokenizers to measure with: cl100k (byte-level BPE), Llama 2's (SentencePiece), and one with tokens across words.

No package ships the last kind, so it is Llama 2's with a token more for each of the 500 most frequent pairs of words
in the essays. Its counts add up at lines, but not at words.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

from tests.conformance.packages import CL100K, LLAMA2, cache_folder, essays, fetched

NAMES = ("cl100k", "llama2", "across-words")
_PAIRS = 500


def path_of(name: str) -> Path:
    """The file of one of the tokenizers above, or of any other by its path."""
    if name == "across-words":
        kept = cache_folder() / "across-words.json"
        if not kept.exists():
            made = kept.with_suffix(f".{os.getpid()}")
            made.write_text(across_words(fetched(LLAMA2).read_bytes(), essays().read_text()))
            made.replace(kept)
        return kept
    return {"cl100k": lambda: fetched(CL100K), "llama2": lambda: fetched(LLAMA2)}.get(name, lambda: Path(name))()


def across_words(tokenizer: bytes, text: str) -> str:
    """The tokenizer.json with a merge more for each of the text's most frequent pairs of words that are tokens."""
    content = json.loads(tokenizer)
    vocabulary, merges = content["model"]["vocab"], content["model"]["merges"]
    words, added = ["▁" + word for word in text.split()], 0
    for (first, second), _ in Counter(pairwise(words)).most_common():
        if first in vocabulary and second in vocabulary and first + second not in vocabulary and added < _PAIRS:
            vocabulary[first + second] = len(vocabulary)
            merges.append(f"{first} {second}")
            added += 1
    return json.dumps(content)
