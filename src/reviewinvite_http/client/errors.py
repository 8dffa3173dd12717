"""Errors of calls that fail or get no answer. Spec: §7."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum

import attrs

from reviewinvite_core.domain.verifying import Flaw
from reviewinvite_core.wire.errors import FieldError
from reviewinvite_core.wire.shape import Shape
from reviewinvite_core.wire.tolerant_converter import tolerant_converter
from reviewinvite_http.client.rate_limits import RateLimit


class GaveUp(StrEnum):
    """Why a call that could be repeated was not repeated any more."""

    ATTEMPTS = "attempts"
    """All attempts were made."""
    TIME = "time"
    """The next attempt would have started after the time for the call."""
    RETRY_AFTER = "retry_after"
    """The service asks for a longer wait than the time left for the call: call again later."""


class ReviewinviteError(Exception):
    """Base class of all errors of calls. Their texts never contain an address or a key."""

    gave_up: GaveUp | None = None
    """Why the call was not repeated; None if repeating would not help."""
    attempts: int = 0
    """Number of times that the request was sent."""


class NoAnswer(ReviewinviteError):
    """The service could not be reached, or its answer broke off; `__cause__` has details.

    The request may still have taken effect. Every call is safe to repeat.
    """


class TimedOut(NoAnswer):
    """No complete answer arrived in time."""


class MalformedAnswer(ReviewinviteError):
    """The answer is not from this service, or from a version of it that this client does not understand."""


class RefusedStatement(ReviewinviteError):
    """The statement failed verification."""

    def __init__(self, reason: Flaw) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the statement failed verification: {self.reason.value}"


class ApiError(ReviewinviteError):
    """The service answered with an error. `code` is None if the answer is not the service's but, say, a proxy's."""

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
        rate_limit: RateLimit | None = None,
    ) -> None:
        self.status = status
        self.code = code
        """The stable name of the error."""
        self.error = error
        """A sentence for people, in Dutch; for a redirect, where it leads, in English."""
        self.field = field
        """The first field with a problem, if any."""
        self.request_id = request_id
        """Id of the request, for the operator of the service."""
        self.errors = tuple(errors)
        """Every problem with the request; the first is the one above."""
        self.retry_after = retry_after
        """Seconds after which the request may be repeated, if the service said so."""
        self.rate_limit = rate_limit
        """What is left of the key's limit, if the service said so."""
        super().__init__(status)  # pickle needs only this argument to recreate the error, and then restores the rest

    def __str__(self) -> str:
        named = "".join([f" {self.code}" if self.code else "", f" ({self.field})" if self.field else ""])
        sentence = self.errors[0].detail if self.errors else None if self.code else self.error  # `error` is Dutch
        request = f" [request {self.request_id}]" if self.request_id else ""
        return f"HTTP {self.status}{named}{f': {sentence}' if sentence else ''}{request}"


class InvalidRequest(ApiError):
    """422: the request is invalid; `errors` lists every problem."""


class Unauthorized(ApiError):
    """401: the API key is missing, malformed, unknown or revoked."""


class Forbidden(ApiError):
    """403: the shop is not active."""


class NotFound(ApiError):
    """404: the shop does not exist, or the review or invitation does not exist or belongs to another shop."""


class Conflict(ApiError):
    """409: the state of the review or invitation does not allow the call."""


class LimitReached(ApiError):
    """429: a limit is reached."""


class ServiceFault(ApiError):
    """5xx: the service, or something in front of it, cannot answer at the moment."""


BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: InvalidRequest,
    429: LimitReached,
}


@attrs.frozen(kw_only=True)
class _Error(Shape):
    """What a client needs of an error; services of earlier releases say no more."""

    error: str
    code: str
    request_id: str | None = None
    field: str | None = None
    errors: tuple[FieldError, ...] = ()


def read_error(
    status: int, body: bytes, retry_after: int | None = None, rate_limit: RateLimit | None = None
) -> ApiError:
    """Return the error in an answer; if the answer is not in the service's format, the error has only the status."""
    kind = ServiceFault if status >= 500 else BY_STATUS.get(status, ApiError)
    try:
        said = tolerant_converter().structure(json.loads(body), _Error)
    except Exception:  # for example, a proxy's error page
        return kind(status, retry_after=retry_after, rate_limit=rate_limit)
    return kind(
        status,
        code=said.code,
        error=said.error,
        field=said.field,
        request_id=said.request_id,
        errors=said.errors,
        retry_after=retry_after,
        rate_limit=rate_limit,
    )
