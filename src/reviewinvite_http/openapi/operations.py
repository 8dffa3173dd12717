"""Error responses and header fields of the OpenAPI description, which handlers' types do not express."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import (
    Example,
    OpenAPIHeader,
    OpenAPIResponse,
    OpenAPIType,
    Operation,
    Reference,
    RequestBody,
    Schema,
)

from reviewinvite_core import Invalid, Refusal, StorageUnavailable
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.values import KeyRefused, LimitReached, Problem, ShopInactive, ShopUnknown, TooLate
from reviewinvite_core.wire.errors import ErrorBody
from reviewinvite_http.errors import refusal_answer, status_answer

DESCRIPTIONS = {
    400: "The request is not valid HTTP, or its Host is malformed.",
    401: "The API key is missing, invalid or revoked.",
    403: "The shop is not active, or the request does not come from its verified domain.",
    404: "The resource does not exist, or belongs to another shop.",
    408: "The request did not arrive within 10 seconds.",
    409: "The current state does not allow this, or it is too late.",
    413: "The request body is larger than 16 KiB.",
    415: "The Content-Type is not application/json.",
    422: "The request is invalid; `errors` lists every problem.",
    429: "A rate limit is reached. Retry after the time in `Retry-After`.",
    431: "The head or the trailers of the request are larger than 64 KiB, or the head has more than 1,000 fields.",
    500: "An unexpected error occurred. It is safe to retry.",
    503: "Storage is busy, full or unreachable, or the service is stopping. It is safe to retry.",
}
OF_EVERY_REQUEST = (400, 408, 431, 500, 503)

_REQUEST_ID = "9f86d081884c7d659a2feaa0"
_EXAMPLES: Mapping[int, Refusal | StorageUnavailable] = {
    401: KeyRefused(presented=True),
    403: ShopInactive(),
    404: ShopUnknown("example-shop"),
    409: TooLate("sent"),
    422: Invalid(Problem.FIELD_MISSING, "email"),
    429: LimitReached(EPOCH, EPOCH),
    503: StorageUnavailable(""),
}


def refusals(*statuses: int, examples: Mapping[int, Refusal] | None = None) -> dict[int, ResponseSpec]:
    """Return the descriptions of these error responses, and of those that any request may get.

    `examples` replaces the usual example of a status.
    """
    given = examples or {}
    return {
        status: ResponseSpec(
            ErrorBody,
            description=DESCRIPTIONS[status],
            generate_examples=False,
            examples=[_example(status, given.get(status))],
        )
        for status in sorted({*statuses, *OF_EVERY_REQUEST})
    }


@dataclass
class JsonExample(Example):
    """An example with its nulls, which Litestar would leave out."""

    def to_schema(self) -> dict[str, Any]:
        """Return the example as it is."""
        return {"value": self.value}


def _example(status: int, refusal: Refusal | StorageUnavailable | None) -> JsonExample:
    """Return an example of the response with this status: to this refusal, or to the usual one."""
    refusal = refusal or _EXAMPLES.get(status)
    answer = refusal_answer(refusal, _REQUEST_ID) if refusal else status_answer(status, _REQUEST_ID)
    return JsonExample(value=json.loads(answer.content("https://reviews.example.nl")))


def _header(description: str, *, required: bool = True, **schema: object) -> OpenAPIHeader:
    return OpenAPIHeader(schema=Schema(**schema), description=description, required=required)  # type: ignore[arg-type]


_RETRY_AFTER = _header("Seconds to wait before a retry.", type=OpenAPIType.INTEGER, minimum=1)
_AUTHENTICATE = _header("The authentication scheme.", type=OpenAPIType.STRING, const="Bearer")
_OF_STATUS = {
    "401": {"WWW-Authenticate": _AUTHENTICATE},
    "429": {"Retry-After": _RETRY_AFTER},
    "503": {"Retry-After": _RETRY_AFTER},
}


_RATE_LIMIT = {
    "RateLimit-Policy": _header(
        "The key's limit: `q` requests in any `w` seconds. Absent if the limit is switched off.",
        required=False,
        type=OpenAPIType.STRING,
        pattern=r'^"[a-z]+";q=[0-9]+;w=60$',
        examples=['"orders";q=120;w=60'],
    ),
    "RateLimit": _header(
        "What is left of it: `r` requests now, and more than that after `t` seconds.",
        required=False,
        type=OpenAPIType.STRING,
        pattern=r'^"[a-z]+";r=[0-9]+;t=[0-9]+$',
        examples=['"orders";r=119;t=60'],
    ),
}
_OF_EVERY_RESPONSE = {"X-Request-Id": Reference(ref="#/components/headers/X-Request-Id")}
_OF_CHARGED = ("200", "201", "404", "409", "422", "429")
"""Statuses of requests that were charged to a key's limit, or refused by it."""


@dataclass
class ApiOperation(Operation):
    """An operation whose responses have the header fields that their statuses need."""

    headers: ClassVar[Mapping[str, OpenAPIHeader]] = {}

    def __post_init__(self) -> None:
        """Add the header fields."""
        for status, response in (self.responses or {}).items():
            if isinstance(response, OpenAPIResponse):
                limit = _RATE_LIMIT if self.security and status in _OF_CHARGED else {}
                response.headers = {
                    **(response.headers or {}),
                    **self.headers,
                    **_OF_STATUS.get(status, {}),
                    **limit,
                    **_OF_EVERY_RESPONSE,
                }


@dataclass
class ApiOperationWithoutBody(ApiOperation):
    """An operation whose request may have a body, but needs none."""

    def __post_init__(self) -> None:
        """Make the body optional, and add the header fields."""
        super().__post_init__()
        if isinstance(self.request_body, RequestBody):
            self.request_body.required = False


@dataclass
class PublicOperation(ApiOperation):
    """An operation whose responses can be read by pages of any origin."""

    headers: ClassVar[Mapping[str, OpenAPIHeader]] = {
        "Access-Control-Allow-Origin": _header("Any page may read the response.", type=OpenAPIType.STRING, const="*")
    }
