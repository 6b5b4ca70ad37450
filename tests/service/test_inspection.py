"""What an upload must be, read piece by piece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.assets import AssetKind
from service import inspection
from service.errors import Invalid
from service.inspection import inspect


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of three bytes, and documents of less than a hundred."""
    monkeypatch.setattr(inspection, "_PIECE", 3)
    monkeypatch.setattr(inspection, "MOST_WHOLE", 100)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(content)
    return path


@given(text=st.text(min_size=1))
def test_characters_are_counted_whatever_the_pieces_cut(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspection, "_PIECE", 3)
        path = written(tmp_path_factory.mktemp("text"), text.encode())
        assert inspect(AssetKind.CORPUS, path) == {"characters": len(text)}


@pytest.mark.parametrize(("content", "at"), [(b"abc\xe2\x82\xac\xff", 6), (b"abcd\xe2\x82", 4), (b"\x80", 0)])
def test_the_first_byte_that_is_no_text_is_named(small: None, tmp_path: Path, content: bytes, at: int) -> None:
    with pytest.raises(Invalid, match=f"not UTF-8 text: .* at byte {at}$"):
        inspect(AssetKind.CORPUS, written(tmp_path, content))


def test_lines_are_those_of_the_file_not_those_of_unicode(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"q": text}, ensure_ascii=False) for text in ("a\u2028b", "c\x85d", "e"))
    assert inspect(AssetKind.DATASET, written(tmp_path, lines.encode())) == {"format": "jsonl", "rows": 3}


def test_one_document_may_span_lines_or_be_one(tmp_path: Path) -> None:
    rows = [{"n": n} for n in range(4)]
    for indent in (None, 2):
        found = inspect(AssetKind.DATASET, written(tmp_path, json.dumps(rows, indent=indent).encode()))
        assert found == {"format": "json", "rows": 4}
    assert inspect(AssetKind.DATASET, written(tmp_path, b'{"data": []}')) == {"format": "json"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a": 1}\n\n{"a":\n', "at line 3"),
        (b"[1,\n 2", "at line 2, column"),
        (b"nothing", "at line 1, column 1"),
        (b" \n\n", "no rows"),
        (b"[" * 200_000, "too deep"),
    ],
)
def test_what_is_no_data_set_is_told_where(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        inspect(AssetKind.DATASET, written(tmp_path, content))


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_data_set_must_be_json_lines(small: None, tmp_path: Path, indent: int | None) -> None:
    rows = [{"n": n} for n in range(40)]
    with pytest.raises(Invalid, match="write it as JSON lines"):
        inspect(AssetKind.DATASET, written(tmp_path, json.dumps(rows, indent=indent).encode()))
    lines = "\n".join(map(json.dumps, rows)).encode()
    assert inspect(AssetKind.DATASET, written(tmp_path, lines)) == {"format": "jsonl", "rows": 40}
