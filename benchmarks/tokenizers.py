"""Tokenizers: exact counts from a `tokenizer.json`, and where a tokenizer's counts add up.

Byte-level BPE with a splitting pattern and WordPiece never merge across the start of a word or a line, so the count of
a text is the sum of the counts of its pieces when it is cut there. Which cuts are safe is decided for each tokenizer
by a probe over many neighbours; SentencePiece models that put a space before every text add up as well once each
piece is counted behind an anchor.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import product
from pathlib import Path

from tokenizers import Tokenizer

from benchmarks.errors import InvalidAsset


class Cut(StrEnum):
    """Where a text is cut in two. The left piece never ends in white space, but for LINE.

    SPACE: the right piece starts with one space and a visible character. LINE: the left piece ends with one newline,
    the right one starts with a visible character. BLANK: the left piece ends with a blank line, the right one starts
    with a letter. HYPHEN: between two word characters, before the hyphen.
    """

    SPACE = "space"
    LINE = "line"
    BLANK = "blank"
    HYPHEN = "hyphen"


_TAIL = "x"
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_FEW = 500
_CHUNK = 1 << 16  # characters encoded at once: what the library returns takes many times the memory of the text
ANCHORS = {Cut.SPACE: "x", Cut.LINE: "x.\n", Cut.BLANK: "x.\n", Cut.HYPHEN: "x"}
# Neighbours that tell tokenizers apart: case, digits, punctuation that swallows newlines or apostrophes, other scripts.
_LEFT = (
    "word", "Word", "WORD", "a", "12", "1234567", "word.", "word,", "word:", 'word."', "word)", "it's", "they'", "1.",
    "word-", "...", "!?", "café", "på", "Straße", "слово", "漢字", "한국", "🙂", "$", "x_", "/", "%", "12.5", "–", "”",
)  # fmt: skip
_RIGHT = (
    "word", "Word", "WORD", "a", "12", "1234567", "'s", "'word", '"Word', "(word", "-word", "--", "...", "$5", "1.",
    "One of", "état", "ål", "Über", "слово", "漢字", "한국", "🙂", "re", "ll", "the", "/", "%", "–", "“A",
)  # fmt: skip
# What a token holds that stands on both sides of a cut.
_CROSSING = {
    Cut.SPACE: re.compile(r"[^\s\0] "),
    Cut.LINE: re.compile(r"\n[^\s\0]"),
    Cut.BLANK: re.compile(r"\n[^\s\0]"),
    Cut.HYPHEN: re.compile(r"[^\W_]-"),
}
_EXAMPLES = {Cut.SPACE: "one two", Cut.LINE: "one\ntwo", Cut.BLANK: "one\n\ntwo", Cut.HYPHEN: "one-two"}
_LAST = ("two", " two", "▁two", "Ġtwo", "-two")
_HYPHEN_LEFT = ("word", "jittery", "old", "550e8400", "e29b", "41d4", "a716", "12345678", "abcdef", "0000")
_HYPHEN_RIGHT = ("word", "commitment", "e29b", "41d4", "1234", "4abc", "446655440000", "deadbeef0000", "a", "9f")


@dataclass(frozen=True, slots=True)
class Addition:
    """How counts add up at one kind of cut: with no anchor (''), behind an anchor, or not at all (None).

    `tail` is what has to stand after a piece that ends with newlines while it is counted (GPT-2's pattern splits a
    blank line in two before a visible character only).
    """

    anchor: str | None
    tail: str = ""


class TokenizerFile:
    """Counts tokens with a Hugging Face `tokenizer.json`. Safe to share between threads; counting releases the GIL.

    `identity` is the SHA-256 of the file in hex. Raises InvalidAsset when the file is not such a tokenizer.
    """

    def __init__(self, content: bytes) -> None:
        self.identity = hashlib.sha256(content).hexdigest()
        try:
            self._tokenizer: Tokenizer = Tokenizer.from_buffer(content)
        except ValueError as error:
            raise InvalidAsset("tokenizer", f"not a tokenizer.json that `tokenizers` can read: {error}") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        """Tokens of the text, without special tokens around it."""
        return len(self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0])

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text on its own."""
        if len(texts) <= _FEW:  # sharing them out to threads costs more than counting them
            return [self.count(text) for text in texts]
        counts: list[int] = []
        for chunk in _chunks(texts):
            counts += [len(e) for e in self._tokenizer.encode_batch_fast(chunk, add_special_tokens=False)]
        return counts

    @cached_property
    def additions(self) -> dict[Cut, Addition]:
        """How counts add up at each kind of cut, found out once by counting every pair of probe neighbours.

        Where no splitting pattern keeps tokens from crossing a cut, no token of the vocabulary may either.
        """
        unsplit = [cut for cut in Cut if not self._splits(cut)]
        vocabulary = self._vocabulary() if unsplit else ""
        crossed = {cut for cut in unsplit if _CROSSING[cut].search(vocabulary)}
        return {cut: Addition(None) if cut in crossed else self._probe(cut) for cut in Cut}

    def _splits(self, cut: Cut) -> bool:
        """True when the text is split there before tokens are made."""
        normalizer, pre = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        text = _EXAMPLES[cut]
        text = normalizer.normalize_str(text) if normalizer else text
        pieces = [piece for piece, _ in pre.pre_tokenize_str(text)] if pre else [text]
        return pieces[-1] in _LAST

    def _vocabulary(self) -> str:
        """All tokens, one after the other, with spaces and newlines as such."""
        tokens = "\0".join(self._tokenizer.get_vocab(with_added_tokens=False))
        for written, meant in (("▁", " "), ("Ġ", " "), ("Ċ", "\n"), ("<0x0A>", "\n")):
            tokens = tokens.replace(written, meant)
        return tokens

    @cached_property
    def single_digits(self) -> bool:
        """True when no token holds more than one digit: then the count of a number depends on its length alone."""
        tokens = self._tokenizer.get_vocab(with_added_tokens=False)
        return not any(re.search(r"\d\d", token) for token in tokens if not _BYTE.fullmatch(token))

    def digit_groups(self, digits: int) -> tuple[int, ...] | None:
        """Sizes of the groups into which a number of that many digits is split before tokens are made, or None."""
        pre = self._tokenizer.pre_tokenizer
        if pre is None:
            return None
        pieces = [piece for piece, _ in pre.pre_tokenize_str("x " + "1234567890"[:digits] + ".")]
        groups = tuple(len(p) for p in pieces if p.isdecimal())
        return groups if sum(groups) == digits else None

    def _probe(self, cut: Cut) -> Addition:
        before, after = _neighbours(cut)
        joined = self.count_each([left + right for left, right in product(before, after)])
        for tail in ("", _TAIL) if cut in (Cut.LINE, Cut.BLANK) else ("",):
            own = [count - self.count(tail) for count in self.count_each([left + tail for left in before])]
            for anchor in ("", ANCHORS[cut]):
                base = self.count(anchor + tail) - self.count(tail)
                added = [count - base for count in self.count_each([anchor + right for right in after])]
                if [left + right for left, right in product(own, added)] == joined:
                    return Addition(anchor, tail)
        return Addition(None)


def _neighbours(cut: Cut) -> tuple[list[str], list[str]]:
    """Left and right pieces to probe a cut with."""
    if cut is Cut.HYPHEN:
        return list(_HYPHEN_LEFT), ["-" + right for right in _HYPHEN_RIGHT]
    if cut is Cut.SPACE:
        return list(_LEFT), [" " + right for right in _RIGHT]
    if cut is Cut.LINE:
        return [left + "\n" for left in _LEFT], list(_RIGHT)
    return [left + "\n\n" for left in _LEFT], [right for right in _RIGHT if right[0].isalpha()]


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    yield chunk


def load_tokenizer(path: Path) -> TokenizerFile:
    """Load a `tokenizer.json`. Raises InvalidAsset when it can't be read or is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidAsset("tokenizer", f"can't read {path}: {error.strerror}") from error
    return TokenizerFile(content)
