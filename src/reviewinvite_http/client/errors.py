"""What a call raises if it is not answered, or not as hoped. Spec: §7."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import attrs

from reviewinvite_core.domain.verifying import Flaw


class GaveUp(StrEnum):
    """Why a call that could have been repeated was not repeated again."""

    ATTEMPTS = "attempts"
    """All attempts were made."""
    TIME = "time"
    """The next attempt would have begun after the time for the call was over."""
    RETRY_AFTER = "retry_after"
    """The service asks to wait for longer than is left for the call: repeat it later."""


@attrs.frozen(kw_only=True)
class FieldError:
    """One thing that is wrong with a request."""

    field: str | None
    """The field, or None if no single field is at fault."""
    code: str
    error: str
    """A sentence in Dutch."""
    detail: str
    """The same in English."""


class ReviewinviteError(Exception):
    """The base of all that a call raises. No text of it holds an address or a key."""

    gave_up: GaveUp | None = None
    """Why the call was not repeated; None if a repeat would not help."""
    attempts: int = 0
    """How often the request was sent; 0 if nothing was."""


class NoAnswer(ReviewinviteError):
    """The service could not be reached, or its answer broke off; `__cause__` tells more.

    The request may have taken effect all the same. Every call can be repeated.
    """


class TimedOut(NoAnswer):
    """No whole answer came in time."""


class MalformedAnswer(ReviewinviteError):
    """Something answered that is not this service, or a version of it that this client does not understand."""


class RefusedStatement(ReviewinviteError):
    """The statement is not to be believed."""

    def __init__(self, reason: Flaw) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the statement is not to be believed: {self.reason.value}"


class ApiError(ReviewinviteError):
    """The service answered with an error. What something in between answered has no `code`."""

    def __init__(
        self,
        status: int,
        *,
        code: str | None = None,
        error: str | None = None,
        field: str | None = None,
        request_id: str | None = None,
        errors: Sequence[FieldError] = (),
        retry_after: int | None = None,
    ) -> None:
        self.status = status
        self.code = code
        """The stable name of the error."""
        self.error = error
        """A sentence in Dutch, for people."""
        self.field = field
        """The first field at fault, if a field is."""
        self.request_id = request_id
        """The name of the request, for the operator of the service."""
        self.errors = tuple(errors)
        """Everything that is wrong with the request, if it is invalid."""
        self.retry_after = retry_after
        """After how many seconds the request may be repeated, if the service said so."""
        super().__init__(status)  # with this argument alone pickle makes it again, and then restores the rest

    def __str__(self) -> str:
        named = "".join([f" {self.code}" if self.code else "", f" ({self.field})" if self.field else ""])
        sentence = self.errors[0].detail if self.errors else self.error
        request = f" [request {self.request_id}]" if self.request_id else ""
        return f"HTTP {self.status}{named}{f': {sentence}' if sentence else ''}{request}"


class InvalidRequest(ApiError):
    """422: the input is invalid; `errors` has everything that is wrong."""


class Unauthorized(ApiError):
    """401: the API key is missing, malformed, unknown or revoked."""


class Forbidden(ApiError):
    """403: the shop is not active."""


class NotFound(ApiError):
    """404: there is no such review, invitation or shop, or it is another shop's."""


class Conflict(ApiError):
    """409: the state of the review or invitation does not allow it."""


class LimitReached(ApiError):
    """429: a limit is reached."""


class ServiceFault(ApiError):
    """5xx: the service, or something in front of it, cannot answer at present."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: InvalidRequest,
    429: LimitReached,
}


def class_of(status: int) -> type[ApiError]:
    """Return the class of the error with this status."""
    return ServiceFault if status >= 500 else BY_STATUS.get(status, ApiError)
