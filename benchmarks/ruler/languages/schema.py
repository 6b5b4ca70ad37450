"""The format of a language file, as types: what must be there and what it must look like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Text = Annotated[str, Field(min_length=1)]
Prefix = Annotated[str, Field(pattern=r"^ ")]
Source = Annotated[str, Field(pattern=r"^(wordfreq|wonderwords):.+$")]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Labels(_Table):
    """What values of each kind are called."""

    numbers: Text
    words: Text
    uuids: Text


class PaperWording(_Table):
    """What profile `paper` words in another way."""

    template: Text | None = None
    answer_prefix: Prefix | None = None


class Wording(_Table):
    """Template and answer prefix of a family of tasks."""

    template: Text
    answer_prefix: Prefix
    paper: PaperWording | None = None


class OneWording(_Table):
    """The NIAH wording when one value is asked for: of its own, or by replacements."""

    template: Text | None = None
    answer_prefix: Prefix | None = None
    replace: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = Field(default_factory=list)

    @model_validator(mode="after")
    def _both_or_neither(self) -> OneWording:
        if (self.template is None) != (self.answer_prefix is None):
            raise PydanticCustomError("half", "needs both `template` and `answer_prefix`, or neither")
        return self


class WordTable(_Table):
    """Where the words of one role are from, and which are taken."""

    sources: list[Source] = Field(default_factory=list)
    words: list[Text] = Field(default_factory=list)
    min_length: Count | None = None
    max_length: Count | None = None
    limit: Count | None = None

    @model_validator(mode="after")
    def _some(self) -> WordTable:
        if not self.sources and not self.words:
            raise PydanticCustomError("no_words", "names no words: give `sources` or `words`")
        return self


def _as_table(value: Any) -> Any:
    """A list of sources is short for a table with them."""
    return {"sources": value} if isinstance(value, list) else value


Role = Annotated[WordTable, BeforeValidator(_as_table)]


class Words(_Table):
    """`first` and `second` make key pairs, `list` is for cwe; the other keys hold for each of them."""

    first: Role
    second: Role
    list: Role
    min_length: Count = 1
    max_length: Count = 1000
    exclude: tuple[Text, ...] = Field(default=(), strict=False)


class LanguageFile(_Table):
    """A language file as a whole."""

    code: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]
    name: Text
    version: Text
    reviewed: bool
    source: Text
    splitter: Text
    normalise: Literal["lower", "nfkc-casefold"]
    joiner: Text
    last_joiner: Text
    noise: Text
    needle: Text
    document: Text
    labels: Labels
    labels_one: Labels | None = None
    niah: Wording
    niah_one: OneWording = Field(default_factory=OneWording)
    vt: Wording
    cwe: Wording
    fwe: Wording
    qa: Wording
    words: Words
