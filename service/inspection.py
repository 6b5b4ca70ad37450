"""Whether an uploaded file is what its kind says. Files are read piece by piece, but for JSON that is one document."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

from benchmarks.errors import InvalidAsset
from benchmarks.tokenizers import load_tokenizer
from protocol.assets import AssetKind
from protocol.common import FieldProblem, JsonObject
from service.errors import Invalid

MOST_WHOLE = 256 * 1024 * 1024
"""Bytes of a data set that is one JSON document: parsed, it takes several times as much memory."""
_PIECE = 1024 * 1024


def inspect(kind: AssetKind, path: Path) -> JsonObject:
    """What the file says of itself. Raises Invalid when it is not a file of that kind."""
    try:
        if path.stat().st_size == 0:
            raise InvalidAsset("upload", "the file is empty")
        if kind is AssetKind.TOKENIZER:
            load_tokenizer(path)
            return {}
        characters = _characters(path)
        return _dataset(path) if kind is AssetKind.DATASET else {"characters": characters}
    except InvalidAsset as error:
        problem = FieldProblem(field="body", message=error.message)
        raise Invalid(f"this is no {kind.value} file: {error.message}", errors=[problem]) from error


def _characters(path: Path) -> int:
    """How many characters a text has. Raises InvalidAsset when it is not UTF-8."""
    decoder, count, read = codecs.getincrementaldecoder("utf-8")(), 0, 0
    with path.open("rb") as file:
        while True:
            piece = file.read(_PIECE)
            kept = len(decoder.getstate()[0])  # the beginning of a character that the piece before ended in
            try:
                count += len(decoder.decode(piece, final=not piece))
            except UnicodeDecodeError as error:
                at = read - kept + error.start
                raise InvalidAsset("upload", f"not UTF-8 text: {error.reason} at byte {at:,}") from error
            read += len(piece)
            if not piece:
                return count


def _dataset(path: Path) -> JsonObject:
    """JSON lines, or one JSON document: a first line that is JSON by itself, with others after it, makes the difference."""
    rows = 0
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(MOST_WHOLE), ""), 1):
            if len(line) == MOST_WHOLE:
                return _document(path)
            if not line.strip():
                continue
            try:
                _parsed(line)
            except json.JSONDecodeError as error:
                if not rows:
                    return _document(path)
                message = f"neither JSON nor JSON lines: {error.msg} at line {number}"
                raise InvalidAsset("upload", message) from error
            rows += 1
    if not rows:
        raise InvalidAsset("upload", "there are no rows in it")
    return _document(path) if rows == 1 else {"format": "jsonl", "rows": rows}


def _document(path: Path) -> JsonObject:
    if path.stat().st_size >= MOST_WHOLE:
        message = f"one JSON document of {MOST_WHOLE:,} bytes or more; write it as JSON lines, an object a line"
        raise InvalidAsset("upload", message)
    try:
        found = _parsed(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidAsset("upload", f"neither JSON nor JSON lines: {error.msg} at {where}") from error
    return {"format": "json", **({"rows": len(found)} if isinstance(found, list) else {})}


def _parsed(text: str) -> object:
    try:
        found: object = json.loads(text)
    except RecursionError as error:
        raise InvalidAsset("upload", "its lists and objects lie too deep in each other") from error
    return found
