"""Convert JSON from the service to values: strict about types, tolerant of additions in later versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import attrs
from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn

from reviewinvite_core.domain.badge import Size, Theme
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationStatus
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_http.client.errors import ApiError, FieldError, MalformedAnswer, class_of
from reviewinvite_http.client.rate_limits import RateLimit
from reviewinvite_http.client.results import (
    Badge,
    Change,
    Domain,
    DomainCheck,
    DomainList,
    Invitation,
    InvitationPage,
    InvitationRecord,
    ProofAbsence,
    Reply,
    ReportedOrder,
    Review,
    ReviewPage,
    Shop,
)

T = TypeVar("T")


_WORDS = (
    *(State, Reason, Source, ReviewState, HideReason),
    *(TrustMark, SnippetMode, Theme, Size, VerificationStatus, ProofWay, FailureReason),
)
"""Enums to which later versions of the service may add members; these stay text."""


def read(cls: type[T], body: bytes) -> T:
    """Return the `cls` in a JSON body.

    Raises: `MalformedAnswer`.
    """
    try:
        return _converter.structure(json.loads(body), cls)
    except Exception as fault:  # hooks of cattrs may raise anything, and JSON may be nested too deep
        message = f"the answer is not a valid {cls.__name__}"
        raise MalformedAnswer(message) from fault


def read_error(
    status: int, body: bytes, retry_after: int | None = None, rate_limit: RateLimit | None = None
) -> ApiError:
    """Return the error in an answer; if the answer is not in the service's format, the error has only the status."""
    try:
        said = _converter.structure(json.loads(body), _Error)
    except Exception:  # for example, a proxy's error page
        return class_of(status)(status, retry_after=retry_after, rate_limit=rate_limit)
    return class_of(status)(
        status,
        code=said.code,
        error=said.error,
        field=said.field,
        request_id=said.request_id,
        errors=said.errors,
        retry_after=retry_after,
        rate_limit=rate_limit,
    )


@attrs.frozen(kw_only=True)
class _Error:
    error: str
    code: str
    request_id: str | None = None
    field: str | None = None
    errors: tuple[FieldError, ...] = ()


def _exactly(cls: type[T], value: object) -> T:
    if type(value) is not cls:
        message = f"not a {cls.__name__}"
        raise TypeError(message)
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return value


def _instant(value: object, _: object) -> datetime:
    instant = datetime.fromisoformat(_exactly(str, value))
    if instant.tzinfo is None:
        raise ValueError("an instant has no time zone")
    return instant.astimezone(UTC)


def _known_or_text(cls: Callable[[str], Any], value: object) -> Any:
    text = _exactly(str, value)
    try:
        return cls(text)
    except ValueError:
        return text


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


def _new_converter() -> Converter:
    converter = Converter(detailed_validation=False)
    for plain in (str, int, bool):
        converter.register_structure_hook(plain, lambda value, _, cls=plain: _exactly(cls, value))
    converter.register_structure_hook(datetime, _instant)
    converter.register_structure_hook(float, lambda value, _: float(_number(value)))
    for cls in _WORDS:
        hook = partial(_known_or_text, cls)
        converter.register_structure_hook(cls | str, lambda value, _, known=hook: known(value))
    for known in (HideReason, ProofWay):
        converter.register_structure_hook(
            known | str | None, lambda value, _, known=known: None if value is None else _known_or_text(known, value)
        )
    for shown in (
        *(FieldError, _Error, ReportedOrder, Reply, Review, ReviewPage),
        *(Invitation, Change, InvitationRecord, InvitationPage),
        *(Shop, Badge, Domain, DomainList, ProofAbsence, DomainCheck),
    ):
        attrs.resolve_types(shown)
        names = {each.name: override(rename=_camel(each.name)) for each in attrs.fields(shown)}
        converter.register_structure_hook(shown, make_dict_structure_fn(shown, converter, **names))  # type: ignore[arg-type]
    return converter


_converter = _new_converter()
