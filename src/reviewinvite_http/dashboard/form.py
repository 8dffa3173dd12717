"""Read the forms of the dashboard, and keep what was typed with the request until it is stored."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import parse_qsl

import attrs
from litestar.enums import RequestEncodingType
from litestar.exceptions import HTTPException
from litestar.types import Scope

from reviewinvite_http.requests import AnyRequest

TOKEN_FIELD = "csrf_token"  # noqa: S105 - the name of a field
_MOST_FIELDS = 100
_KEY = "reviewinvite.dashboard_form"


@attrs.frozen
class Form:
    """The fields of a submitted form, in their order; every line ends with a line feed."""

    pairs: Sequence[tuple[str, str]] = ()

    def __contains__(self, name: str) -> bool:
        return any(each == name for each, _ in self.pairs)

    def text(self, name: str) -> str:
        """Return what was typed into a field, or an empty text; of several fields of this name, the first."""
        return next((value for each, value in self.pairs if each == name), "")

    def typed(self) -> Iterator[tuple[str, str]]:
        """Yield the fields to send again; the token is made for each page."""
        yield from ((name, value) for name, value in self.pairs if name != TOKEN_FIELD)


async def read_form(request: AnyRequest) -> Form:
    """Return the form of a request, and keep it with the request, so that the page of a failure can give it back.

    Raises: `HTTPException` with 400, 413 or 415.
    """
    body = await request.body()
    if body and request.content_type[0].lower() != RequestEncodingType.URL_ENCODED:
        raise HTTPException(status_code=415)
    try:
        pairs = parse_qsl(body.decode("latin-1"), True, errors="replace", max_num_fields=_MOST_FIELDS)  # noqa: FBT003
    except ValueError:
        raise HTTPException(status_code=400) from None
    form = Form([(name, value.replace("\r\n", "\n").replace("\r", "\n")) for name, value in pairs])
    cast("dict[str, Any]", request.scope)[_KEY] = form
    return form


def form_token(secret: str) -> str:
    """Return the token of the forms made for the holder of this cookie; the cookie cannot be computed from it."""
    return hmac.new(secret.encode(), b"reviewinvite dashboard form", hashlib.sha256).hexdigest()


def form_in(scope: Scope) -> Form | None:
    """Return the form that was kept with a request, or None if it has none."""
    return cast("dict[str, Any]", scope).get(_KEY)


def provide_form(request: AnyRequest) -> Form:
    """Provide the form that the guard has read and admitted."""
    return form_in(request.scope) or Form()


def version_of(*shown: object) -> str:
    """Return a short text that differs if what was shown differs; a form carries it in the field `version`.

    So the second of two members who change the same thing finds out, and nothing is lost. Spec: §10.4.
    """
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
