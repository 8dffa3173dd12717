"""The body of an error. Spec: §7."""

from __future__ import annotations

from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class FieldError:
    """One problem with a request: its field, if any, its stable code, and a sentence in Dutch and in English."""

    field: str | None
    code: str
    error: str
    detail: str


@attrs.frozen(kw_only=True)
class ErrorBody:
    """Why a request was refused or failed; also a problem as in RFC 9457."""

    error: str
    code: str
    request_id: str
    field: str | None = None
    type: str
    title: str
    status: int
    detail: str
    errors: Sequence[FieldError]
