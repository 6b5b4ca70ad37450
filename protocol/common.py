"""What several messages share: the base model, problem documents, JSON types."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

JsonObject = dict[str, JsonValue]
Name = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Message(BaseModel):
    """Base of all messages. An unknown field is an error: a typing slip must not pass in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Reply(BaseModel):
    """Base of what the service answers. Unknown fields are ignored, so that older clients read newer services."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class FieldProblem(Reply):
    """One thing that is wrong with one field of a request."""

    field: str = Field(description="Dotted path of the field, e.g. `options.lengths.0`.")
    value: Any = Field(default=None, description="What was sent.")
    message: str = Field(description="What is wrong with it, and what would be right.")


class Problem(Reply):
    """RFC 9457 problem document: the body of every 4xx and 5xx answer (`application/problem+json`)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    errors: list[FieldProblem] = Field(default_factory=list)
