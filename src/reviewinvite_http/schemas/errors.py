"""The body of an error. Spec: §7."""

from __future__ import annotations

from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class FieldError:
    """One thing that is wrong with a request: in which field, its stable code, and why in Dutch and in English."""

    field: str | None
    code: str
    error: str
    detail: str


@attrs.frozen(kw_only=True)
class ErrorBody:
    """Why a request was refused, or failed."""

    error: str
    code: str
    request_id: str
    field: str | None = None
    errors: Sequence[FieldError] = ()
