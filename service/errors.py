"""The error tree of the package.

A `RequestError` is answered as a problem document with its status; everything else is a fault of the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protocol.common import FieldProblem


class ServiceError(Exception):
    """Base of all errors of this package."""


class SettingsError(ServiceError):
    """A setting that cannot work."""


class StartupError(ServiceError):
    """The service cannot start: a port in use, no database, a folder that can't be written."""


class RequestError(ServiceError):
    """Base of what a request can get wrong. `status`, `title` and `type` make the problem document."""

    status = 400
    title = "Bad request"
    kind = "about:blank"

    def __init__(
        self, detail: str, *, errors: Sequence[FieldProblem] = (), headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.detail, self.errors, self.headers = detail, tuple(errors), dict(headers or {})


class BadCursor(RequestError):
    """A cursor this service did not make, or made for something else."""

    title, kind = "Bad cursor", "urn:fathom:bad-cursor"


class BadHeader(RequestError):
    """A request header that can't be used."""

    title, kind = "Bad header", "urn:fathom:bad-header"


class Unauthorized(RequestError):
    """No token, or a wrong one."""

    status, title, kind = 401, "Unauthorized", "urn:fathom:unauthorized"


class Forbidden(RequestError):
    """A request that another site's page made with the user's cookie."""

    status, title, kind = 403, "Forbidden", "urn:fathom:forbidden"


class NotFound(RequestError):
    """Nothing of that name or id."""

    status, title, kind = 404, "Not found", "urn:fathom:not-found"


class Conflict(RequestError):
    """The request contradicts what is stored."""

    status, title, kind = 409, "Conflict", "urn:fathom:conflict"


class TooLarge(RequestError):
    """A body over the limit."""

    status, title, kind = 413, "Body too large", "urn:fathom:too-large"


class Invalid(RequestError):
    """Well-formed, but with values that cannot work; `errors` names each field."""

    status, title, kind = 422, "Invalid request", "urn:fathom:invalid"


class Unavailable(RequestError):
    """Something the answer needs is away for now."""

    status, title, kind = 503, "Unavailable", "urn:fathom:unavailable"
