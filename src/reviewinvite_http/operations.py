"""Error responses and header fields in the OpenAPI description, which no handler's type says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example, OpenAPIHeader, OpenAPIResponse, OpenAPIType, Operation, Schema

from reviewinvite_core import (
    Invalid,
    KeyRefused,
    LimitReached,
    Problem,
    Refusal,
    ShopInactive,
    ShopUnknown,
    StorageUnavailable,
    TooLate,
)
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.schemas.errors import ErrorBody

DESCRIPTIONS = {
    400: "The request is not HTTP.",
    401: "The key is missing, invalid or revoked.",
    403: "The shop is not active, or the request does not come from its own domain.",
    404: "There is no such thing, or it belongs to another shop.",
    408: "The request did not arrive within 10 seconds.",
    409: "It is too late for this, or the state does not allow it.",
    413: "The body is larger than 16 KiB.",
    415: "The body is not application/json.",
    422: "The request is invalid; `errors` names each field that is wrong.",
    429: "A limit is reached; try later.",
    431: "The head of the request is larger than 64 KiB.",
    500: "A failure on our side. Retrying is safe.",
    503: "Storage is busy, full or away. Retrying is safe.",
}
OF_EVERY_REQUEST = (400, 408, 431, 500, 503)

_REQUEST_ID = "9f86d081884c7d65-1f"
_EXAMPLES: Mapping[int, Refusal | StorageUnavailable] = {
    401: KeyRefused(presented=True),
    403: ShopInactive(),
    404: ShopUnknown("example-shop"),
    409: TooLate("sent"),
    422: Invalid(Problem.FIELD_MISSING, "email"),
    429: LimitReached(EPOCH, EPOCH),
    503: StorageUnavailable(""),
}


def refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Return the description of these error responses, and of those that any request may get."""
    return {
        status: ResponseSpec(
            ErrorBody, description=DESCRIPTIONS[status], generate_examples=False, examples=[_example(status)]
        )
        for status in sorted({*statuses, *OF_EVERY_REQUEST})
    }


def _example(status: int) -> Example:
    """Return an answer with this status, as it is sent."""
    refusal = _EXAMPLES.get(status)
    answer = refusal_answer(refusal, _REQUEST_ID) if refusal else status_answer(status, _REQUEST_ID)
    return Example(value=json.loads(answer.body))


def _header(description: str, **schema: object) -> OpenAPIHeader:
    return OpenAPIHeader(schema=Schema(**schema), description=description, required=True)  # type: ignore[arg-type]


_RETRY_AFTER = _header("Whole seconds after which a retry is welcome.", type=OpenAPIType.INTEGER, minimum=1)
_AUTHENTICATE = _header("How to authenticate.", type=OpenAPIType.STRING, const="Bearer")
_OF_STATUS = {
    "401": {"WWW-Authenticate": _AUTHENTICATE},
    "429": {"Retry-After": _RETRY_AFTER},
    "503": {"Retry-After": _RETRY_AFTER},
}


@dataclass
class ApiOperation(Operation):
    """An operation whose responses have the header fields of their statuses."""

    headers: ClassVar[Mapping[str, OpenAPIHeader]] = {}

    def __post_init__(self) -> None:
        """Add the header fields."""
        for status, response in (self.responses or {}).items():
            if isinstance(response, OpenAPIResponse):
                response.headers = {**(response.headers or {}), **self.headers, **_OF_STATUS.get(status, {})}


@dataclass
class PublicOperation(ApiOperation):
    """An operation whose answers pages of any origin may read."""

    headers: ClassVar[Mapping[str, OpenAPIHeader]] = {
        "Access-Control-Allow-Origin": _header("Any page may read the answer.", type=OpenAPIType.STRING, const="*"),
    }
