"""Documents and questions of the QA tasks, out of SQuAD v2 and HotpotQA files, in the reference's order.

Parsed once; then kept as flat arrays that are mapped into memory, so that opening them again takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.cache import Cache

_VERSION = 2  # of the cached files


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
    """Texts laid end to end as UTF-8; text i is bytes `offsets[i]` to `offsets[i + 1]`."""

    content: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> str:
        start, stop = self.offsets[index], self.offsets[index + 1]
        return self.content[start:stop].tobytes().decode()


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


Parsed = tuple[list[str], list[Question]]


def load_documents(role: str, read: Callable[[], bytes], sha256: str, cache: Cache) -> Documents:
    """The documents of role `squad` or `hotpotqa`; `read` gives the file's bytes when it was not parsed before.
    Raises InvalidAsset."""
    parse = {"squad": parse_squad, "hotpotqa": parse_hotpotqa}[role]

    def make() -> dict[str, NDArray[Any]]:
        try:
            texts, questions = parse(orjson.loads(read()))
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise InvalidAsset(role, f"not a {role} file: {type(error).__name__} {error}") from error
        if not questions:
            raise InvalidAsset(role, "holds no question that can be answered")
        records = [orjson.dumps(question) for question in questions]
        documents, ends = _flat([text.encode() for text in texts])
        lines, line_ends = _flat(records)
        return {"documents": documents, "document_offsets": ends, "questions": lines, "question_offsets": line_ends}

    stored = cache.mapped(("documents", _VERSION, role, sha256), make)
    return Documents(
        Texts(stored["documents"], stored["document_offsets"]), Texts(stored["questions"], stored["question_offsets"])
    )


def parse_squad(data: Any) -> Parsed:
    """SQuAD v2: paragraphs are documents; questions without an answer are left out."""
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
    return texts, questions


def parse_hotpotqa(data: Any) -> Parsed:
    """HotpotQA with distractors: a document is a title and its sentences; ten are given with each question."""
    own = [[f"{title}\n{''.join(sentences)}" for title, sentences in entry["context"]] for entry in data]
    texts = sorted({text for given in own for text in given})
    numbers = {text: number for number, text in enumerate(texts)}
    questions = []
    for entry, given in zip(data, own, strict=True):
        titles = {title for title, _ in entry.get("supporting_facts", [])}
        named = zip(entry["context"], given, strict=True)
        gold = dict.fromkeys(numbers[text] for (title, _), text in named if title in titles)
        context = [numbers[text] for text in given]
        questions.append(Question(entry["question"], [entry["answer"]], list(gold) or context, context, []))
    return texts, questions


def _flat(pieces: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return np.frombuffer(b"".join(pieces), dtype=np.uint8), offsets
