"""The body of an error. Spec: §7."""

from __future__ import annotations

import attrs

from reviewinvite_core.wire.shape import Shape, about, member

_CODE = about(pattern="^[a-z_]+$")


@attrs.frozen(kw_only=True)
class FieldError(Shape):
    """One problem with a request: its field, if any, its stable code, and a sentence in Dutch and in English."""

    field: str | None = member("The field, or null if no single field is wrong.")
    code: str = member(_CODE)
    error: str = member("A short description in Dutch.")
    detail: str = member("The same description in English.")


@attrs.frozen(kw_only=True)
class ErrorBody(Shape):
    """Why a request was refused or failed; also a problem as in RFC 9457."""

    error: str = member("A short description in Dutch.")
    code: str = member("Stable error code for programs.", _CODE)
    request_id: str
    field: str | None = member("With 422: the first field that is wrong, if any.", default=None, optional=True)
    type: str = member("Address of the explanation of `code` (RFC 9457).", format="uri")
    title: str = member("What `code` means, in English (RFC 9457).")
    status: int = member("The status of the response (RFC 9457).", minimum=400, maximum=599)
    detail: str = member("The description in English (RFC 9457).")
    errors: tuple[FieldError, ...] = member("Every problem with the request; the first is the one above.", min_items=1)
