"""Assets: content-addressed files that samples are built from."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from protocol.common import JsonObject, Reply


class AssetKind(StrEnum):
    CORPUS = "corpus"
    TOKENIZER = "tokenizer"
    DATASET = "dataset"
    WORDS = "words"


class Asset(Reply):
    """A registered asset. `PUT /v1/assets/{name}` uploads the bytes; `GET /v1/assets/{name or sha256}/content` reads them."""

    name: str
    kind: AssetKind
    sha256: str
    size: int = Field(description="Bytes.")
    source: str = Field(default="", description="Where it came from, in words: package and version, file.")
    meta: JsonObject = Field(default_factory=dict)
    created_at: datetime


class AssetList(Reply):
    items: list[Asset]
