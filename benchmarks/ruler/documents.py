"""Documents and questions of the QA tasks, out of SQuAD v2 and HotpotQA files, in the reference's order.

Parsed once; then kept as flat arrays that are mapped into memory, so that opening them again takes milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby
from json import JSONDecoder
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import orjson
from numpy.typing import NDArray

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.cache import Cache

_VERSION = 3  # of the cached files
_PARTS = ("content", "starts", "stops")
_BEGINNING = 64  # bytes
_FIRST, _NEXT = re.compile(r"\s*\[\s*"), re.compile(r"\s*,\s*")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers, the documents that hold them (`gold`), those given with it, `gold` included
    (`context`), and others of the same article (`more`)."""

    query: str
    outputs: list[str]
    gold: list[int]
    context: list[int]
    more: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Texts as UTF-8; text i is bytes `starts[i]` to `stops[i]` of the content."""

    content: NDArray[np.uint8]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str:
        return self.raw(index).decode()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Bytes of each."""
        sizes: NDArray[np.int64] = self.stops - self.starts
        return sizes

    def raw(self, index: int, most: int | None = None) -> bytes:
        """The bytes of a text, the first so many of them."""
        start, stop = self.starts[index], self.stops[index]
        return self.content[start : stop if most is None else min(stop, start + most)].tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """All different documents, sorted, and the questions in file order."""

    texts: Texts
    records: Texts

    @property
    def questions(self) -> int:
        return len(self.records)

    def question(self, index: int) -> Question:
        return Question(**orjson.loads(self.records[index]))


Parsed = tuple[Texts, list[Question]]
"""The different documents, sorted, and the questions; documents are named by their numbers."""


def load_documents(role: str, path: Path, sha256: str, cache: Cache) -> Documents:
    """The documents of role `squad` or `hotpotqa`, out of the file unless it was parsed before. Raises InvalidAsset."""
    parse = {"squad": parse_squad, "hotpotqa": parse_hotpotqa}[role]

    def make() -> dict[str, NDArray[Any]]:
        try:
            texts, questions = parse(path)
        except OSError as error:
            raise InvalidAsset(role, f"can't read {path}: {error.strerror}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidAsset(role, f"not a {role} file: {type(error).__name__} {error}") from error
        if not questions:
            raise InvalidAsset(role, "holds no question that can be answered")
        records = _flat([orjson.dumps(question) for question in questions])
        return {
            f"{name} {part}": getattr(kept, part)
            for name, kept in (("documents", texts), ("questions", records))
            for part in _PARTS
        }

    stored = cache.mapped(("documents", _VERSION, role, sha256), make)
    documents, questions = (Texts(*(stored[f"{n} {part}"] for part in _PARTS)) for n in ("documents", "questions"))
    return Documents(documents, questions)


def parse_squad(path: Path) -> Parsed:
    """SQuAD v2: paragraphs are documents; questions without an answer are left out."""
    data = orjson.loads(path.read_bytes())
    articles = [[paragraph["context"] for paragraph in article["paragraphs"]] for article in data["data"]]
    texts = sorted({context for article in articles for context in article})
    numbers = {text: number for number, text in enumerate(texts)}
    questions = []
    for article in data["data"]:
        same = [numbers[paragraph["context"]] for paragraph in article["paragraphs"]]
        for paragraph in article["paragraphs"]:
            own = numbers[paragraph["context"]]
            more = [number for number in same if number != own]
            questions += [
                Question(asked["question"], [answer["text"] for answer in asked["answers"]], [own], [own], more)
                for asked in paragraph["qas"]
                if not asked.get("is_impossible", False)
            ]
    return _flat([text.encode() for text in texts]), questions


def parse_hotpotqa(path: Path) -> Parsed:
    """HotpotQA with distractors: a document is a title and its sentences; ten are given with each question.

    Question by question and into one array, since the file as objects would take some 300 MB.
    """
    numbers: dict[bytes, int] = {}
    content, ends, questions = bytearray(path.stat().st_size), [0], []  # of fixed size: growing leaves holes in memory
    with path.open(encoding="utf-8-sig") as file:
        for entry in json_items(file):
            own = [f"{title}\n{''.join(sentences)}".encode() for title, sentences in entry["context"]]
            context = [numbers.setdefault(blake2b(text, digest_size=16).digest(), len(numbers)) for text in own]
            for text, number in zip(own, context, strict=True):
                if number == len(ends) - 1:
                    ends.append(ends[-1] + len(text))
                    content[ends[-2] : ends[-1]] = text
            titles = {title for title, _ in entry.get("supporting_facts", [])}
            named = zip(entry["context"], context, strict=True)
            gold = dict.fromkeys(number for (title, _), number in named if title in titles)
            questions.append(Question(entry["question"], [entry["answer"]], list(gold) or context, context, []))
    edges = np.array(ends, dtype=np.int64)
    texts = Texts(np.frombuffer(content, dtype=np.uint8)[: ends[-1]], edges[:-1], edges[1:])
    order = _sorted(texts)
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(texts))
    return Texts(texts.content, texts.starts[order], texts.stops[order]), [
        replace(question, gold=rank[question.gold].tolist(), context=rank[question.context].tolist())
        for question in questions
    ]


def _sorted(texts: Texts) -> list[int]:
    """Numbers of the texts in the order of the texts; of few of them is more than the beginning looked at."""
    beginnings = [texts.raw(number, _BEGINNING) for number in range(len(texts))]  # UTF-8 sorts as the characters do
    order = sorted(range(len(texts)), key=beginnings.__getitem__)
    alike = groupby(order, key=beginnings.__getitem__)
    return [number for _, group in alike for number in sorted(group, key=texts.raw)]


def json_items(file: TextIO, chunk: int = 1 << 20) -> Iterator[Any]:
    """The items (objects) of a JSON array, one after the other. Raises ValueError where the file is not one."""
    decoder, lead, text, at = JSONDecoder(), _FIRST, "", 0
    while True:
        try:
            begun = lead.match(text, at)
            if begun is None:
                raise ValueError("not a JSON array of objects")
            item, at = decoder.raw_decode(text, begun.end())
        except ValueError:  # broken, or not read far enough
            more = file.read(max(chunk, len(text) - at))
            if more:
                text, at = text[at:] + more, 0
                continue
            if text[at:].strip() in ("]", "[]"):
                return
            raise
        yield item
        lead = _NEXT


def _flat(pieces: Sequence[bytes]) -> Texts:
    edges = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return Texts(np.frombuffer(b"".join(pieces), dtype=np.uint8), edges[:-1], edges[1:])
