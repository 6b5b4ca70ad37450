"""Reading the QA data sets."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.cache import Cache
from benchmarks.ruler.documents import json_items, load_documents
from tests.benchmarks.ruler.opening import FILES

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_ITEMS = st.lists(st.dictionaries(_TEXT, st.lists(st.one_of(_TEXT, st.integers(), st.none()), max_size=4), max_size=3))


@settings(deadline=None)
@given(items=_ITEMS, chunk=st.integers(1, 40), indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_items_of_a_json_array_are_the_same_however_much_of_it_is_read_at_once(
    items: list[Any], chunk: int, indent: int | None, escaped: bool
) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=escaped)
    assert list(json_items(io.StringIO(f" {text}\n"), chunk)) == items


@pytest.mark.parametrize(
    "text", ["", "[", '[{"a": 1}', '[{"a": 1},]', '[{"a": 1} {}]', '{"a": 1}', "[{}] x", '[{"a": ]']
)
def test_what_is_no_json_array_of_objects_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting|delimiter"):
        list(json_items(io.StringIO(text), 4))


def _entry(number: int, documents: list[tuple[str, list[str]]]) -> dict[str, Any]:
    return {
        "question": f"Question {number}?",
        "answer": f"answer {number}",
        "supporting_facts": [[title, 0] for title, _ in documents[::2]],
        "context": [list(document) for document in documents],
    }


_TITLES = st.sampled_from(["Ed Wood", "Ed Wood (film)", "Ærø", "漢字", "𝒜 title", "x" * 63, "x" * 64, "x" * 65])
_DOCUMENTS = st.lists(st.tuples(_TITLES, st.lists(_TEXT, min_size=1, max_size=3)), min_size=1, max_size=5)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_with=st.lists(_DOCUMENTS, min_size=1, max_size=6))
def test_documents_of_hotpotqa_are_sorted_as_texts_and_each_question_names_its_own(
    tmp_path: Path, given_with: list[list[tuple[str, list[str]]]]
) -> None:
    path = tmp_path / "hotpotqa.json"
    path.write_text(json.dumps([_entry(number, documents) for number, documents in enumerate(given_with)]))
    documents = load_documents("hotpotqa", path, "", Cache(None))
    named = [[f"{title}\n{''.join(sentences)}" for title, sentences in own] for own in given_with]
    assert list(documents.texts) == sorted({text for own in named for text in own})
    assert documents.questions == len(given_with)
    for number, own in enumerate(named):
        question = documents.question(number)
        assert [documents.texts[place] for place in question.context] == own
        gold = {title for title, _ in given_with[number][::2]}
        assert {documents.texts[place] for place in question.gold} == {t for t in own if t.split("\n")[0] in gold}
        assert (question.query, question.outputs) == (f"Question {number}?", [f"answer {number}"])


@pytest.mark.parametrize("role", ["squad", "hotpotqa"])
def test_parsed_files_are_read_back_as_they_were(tmp_path: Path, role: str) -> None:
    fresh = load_documents(role, FILES[role], "hash", Cache(tmp_path))
    again = load_documents(role, tmp_path / "absent.json", "hash", Cache(tmp_path))
    assert list(fresh.texts) == list(again.texts)
    assert [fresh.question(n) for n in range(fresh.questions)] == [again.question(n) for n in range(again.questions)]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"nonsense", b'[{"question": "?"}]', b"\xff\xfe", b'["\\ud800"]']
)
def test_a_file_that_is_no_hotpotqa_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "hotpotqa.json").write_bytes(content)
    with pytest.raises(InvalidAsset, match="hotpotqa"):
        load_documents("hotpotqa", tmp_path / "hotpotqa.json", "", Cache(None))


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidAsset, match=r"absent\.json: No such file"):
        load_documents("squad", tmp_path / "absent.json", "", Cache(None))
