"""The error tree of the package."""

from __future__ import annotations


class WorkerError(Exception):
    """Base of all errors of this package."""


class SettingsError(WorkerError):
    """A setting of the worker that cannot work; the message names it and says what would be right."""


class CallError(WorkerError):
    """A call to a model that gave no answer.

    `cause` is one word for statistics (`rate_limited`, `timeout`, `connection`, `server_error`, `bad_request`, `auth`,
    `not_found`, `loading`, …). A `permanent` failure is not tried again. `counts` is False when no attempt is spent,
    because nothing is wrong with this sample; `model_down` says that no other call would fare better now.
    `retry_after` is in seconds, as the server asked.
    """

    def __init__(
        self,
        cause: str,
        message: str,
        *,
        permanent: bool = False,
        counts: bool = True,
        model_down: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.cause, self.message = cause, message
        self.permanent, self.counts, self.model_down = permanent, counts, model_down
        self.retry_after = retry_after


class ContextOverflow(WorkerError):
    """The server refused the prompt because it does not fit the model's window; the message is the server's.

    `prompt_tokens` and `window` are tokens, where the server told them.
    """

    def __init__(self, message: str, *, prompt_tokens: int | None = None, window: int | None = None) -> None:
        super().__init__(message)
        self.message, self.prompt_tokens, self.window = message, prompt_tokens, window


class DriverError(CallError):
    """The machine on which the model runs cannot be reached, or refuses us. Permanent when waiting would not help."""


class UnsupportedApi(CallError):
    """This API kind cannot do what the model or the job asks of it."""

    def __init__(self, message: str) -> None:
        super().__init__("unsupported", message, permanent=True)


class AssetError(WorkerError):
    """An asset could not be fetched, or its bytes are not what its hash says."""


class ServiceError(WorkerError):
    """Base of what goes wrong between worker and service."""


class ServiceAway(ServiceError):
    """The service does not answer, or answers 5xx: worth another try."""


class ServiceRefused(ServiceError):
    """The service refused a request (4xx); the message is the problem document's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message
