"""Parse the parameters of paths and queries: only known ones, each at most once and well-formed. Spec: §4.6, §4.9.

Problems are values rather than exceptions, because the use case counts a request against the key's limit before
refusing it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar
from urllib.parse import unquote_to_bytes

from litestar.di import Provide
from litestar.params import PathParameter, QueryParameter

from reviewinvite_core import Invalid, InvitationQuery, MerchantReviewQuery, ReviewState, State
from reviewinvite_core.domain.orders import order_number as parse_order_number
from reviewinvite_core.domain.scores import HIGHEST_RATING
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.values import Bookmark, Problem
from reviewinvite_core.wire.json_converter import as_field
from reviewinvite_core.wire.patterns import INVITATION_CURSOR, ORDER_NUMBER, REVIEW_CURSOR, SINCE, SINCE_EXACTLY
from reviewinvite_core.wire.shape import json_name
from reviewinvite_core.wire.shared import MOST_ON_A_PAGE
from reviewinvite_http.requests import AnyRequest

DEFAULT_LIMIT = 50

T = TypeVar("T")

_LATEST = datetime(4000, 1, 1, tzinfo=UTC)  # a cursor has no room for much later instants
_MOST_PARAMETERS = 16
_NUMBER = re.compile("[0-9]{1,6}", re.ASCII)
_SINCE = re.compile(SINCE, re.ASCII)
_INVITATION_CURSOR = re.compile(INVITATION_CURSOR, re.ASCII)


def _schema(**schema: Any) -> dict[str, Any]:
    """Return the schema of a parameter; a schema generated from its type would allow null."""
    return {"one_of": None, **schema}


# Litestar only describes these parameters; checking them below keeps errors in the specified order.
_UUID = {"format": "uuid", "examples": ["019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"]}
ReviewId: TypeAlias = Annotated[str, PathParameter(description="The review.", schema_extra=_UUID)]
InviteId: TypeAlias = Annotated[str, PathParameter(description="The invitation.", schema_extra=_UUID)]
Host: TypeAlias = Annotated[
    str, PathParameter(description="The host, as it is listed.", schema_extra={"examples": ["example.nl"]})
]
Limit: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Maximum items per page.",
        schema_extra=_schema(type="integer", minimum=1, maximum=MOST_ON_A_PAGE, default=DEFAULT_LIMIT),
    ),
]
ReviewCursor: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Cursor from the previous page. `since`, if also given, is validated but ignored.",
        schema_extra=_schema(type="string", pattern=f"^{REVIEW_CURSOR}$"),
    ),
]
InvitationCursor: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Cursor from the previous page.",
        schema_extra=_schema(type="string", pattern=f"^{INVITATION_CURSOR}$"),
    ),
]
Since: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Only reviews changed at or after this instant: "
        "a date (midnight UTC), or a date and time with a time zone.",
        schema_extra=_schema(type="string", pattern=SINCE_EXACTLY, examples=["2026-03-02T00:00:00Z"]),
    ),
]
OrderNumber: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="orderNumber", description="Only invitations with this order number.", schema_extra=_schema(**ORDER_NUMBER)
    ),
]
Rating: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        description="Only reviews that have this rating now.",
        schema_extra=_schema(type="integer", minimum=1, maximum=5),
    ),
]
ReviewStateFilter: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="state",
        description="Only reviews that are in this state now.",
        schema_extra=_schema(type="string", enum=[each.value for each in ReviewState]),
    ),
]
StateFilter: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        name="state",
        description="Only invitations that are in this state now.",
        schema_extra=_schema(type="string", enum=[each.value for each in State]),
    ),
]


def review_query(
    request: AnyRequest,
    cursor: ReviewCursor = None,
    limit: Limit = None,
    since: Since = None,
    rating: Rating = None,
    in_state: ReviewStateFilter = None,  # Litestar reserves the name `state`
) -> MerchantReviewQuery | Invalid:
    """Return the requested filters of reviews, or every problem with them. A cursor takes precedence over `since`."""
    faults = _Faults(_unknown(request, ("cursor", "limit", "since", "rating", "state")))
    start = faults.read(_instant, since) or EPOCH
    after = faults.read(_bookmark, cursor) or Bookmark.since(start)
    most = faults.read(partial(_number, "limit", MOST_ON_A_PAGE), limit) or DEFAULT_LIMIT
    stars = faults.read(partial(_number, "rating", HIGHEST_RATING), rating)
    state = faults.read(partial(_state, ReviewState), in_state)
    return faults.first or MerchantReviewQuery(after=after, limit=most, rating=stars, state=state)


def invitation_query(
    request: AnyRequest,
    cursor: InvitationCursor = None,
    limit: Limit = None,
    order_number: OrderNumber = None,
    in_state: StateFilter = None,  # Litestar reserves the name `state`
) -> InvitationQuery | Invalid:
    """Return the requested filters of invitations, or every problem with them."""
    faults = _Faults(_unknown(request, ("cursor", "limit", "orderNumber", "state")))
    before = faults.read(_invite_id, cursor)
    number = faults.read(parse_order_number, order_number)
    state = faults.read(partial(_state, State), in_state)
    most = faults.read(partial(_number, "limit", MOST_ON_A_PAGE), limit) or DEFAULT_LIMIT
    return faults.first or InvitationQuery(before=before, order_number=number, state=state, limit=most)


provide_review_query = Provide(review_query, sync_to_thread=False)
provide_invitation_query = Provide(invitation_query, sync_to_thread=False)


class _Faults:
    """Collects problems with the parameters of a query."""

    def __init__(self, found: Iterable[Invalid]) -> None:
        self._found = list(found)

    def read(self, parse: Callable[[str], T], text: str | None) -> T | None:
        """Return the value of a parameter, or None if it is missing or wrong."""
        try:
            return None if text is None else parse(text)
        except Invalid as invalid:
            self._found.append(Invalid(invalid.problem, invalid.field and json_name(invalid.field)))
            return None

    @property
    def first(self) -> Invalid | None:
        """The first problem, holding all others, or None."""
        if not self._found:
            return None
        first, *others = self._found
        return Invalid(first.problem, first.field, tuple(others))


def _unknown(request: AnyRequest, known: Collection[str]) -> Iterator[Invalid]:
    """Yield the problems with the names of a query's parameters."""
    names = [name for name, _ in request.query_params.multi_items()]
    if len(names) > _MOST_PARAMETERS or not _is_utf8(request.scope["query_string"]):
        yield Invalid(Problem.MALFORMED, "query")
        return
    for place, name in enumerate(names):
        if name not in known:
            yield Invalid(Problem.UNKNOWN_FIELD, as_field(name))
        elif name in names[:place]:
            yield Invalid(Problem.DUPLICATE_FIELD, name)


def _is_utf8(query: bytes) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


def _bookmark(text: str) -> Bookmark:
    place = Bookmark.parse(text)
    if place is None:
        raise Invalid(Problem.MALFORMED, "cursor")
    return place


def _invite_id(cursor: str) -> str:
    if not _INVITATION_CURSOR.fullmatch(cursor):
        raise Invalid(Problem.MALFORMED, "cursor")
    return str(uuid.UUID(cursor))


def _state(states: Callable[[str], T], text: str) -> T:
    try:
        return states(text)
    except ValueError:
        raise Invalid(Problem.MALFORMED, "state") from None


def _number(name: str, most: int, text: str) -> int:
    """Parse a number from 1 to `most`."""
    if not _NUMBER.fullmatch(text):
        raise Invalid(Problem.MALFORMED, name)
    if not 1 <= int(text) <= most:
        raise Invalid(Problem.OUT_OF_RANGE, name)
    return int(text)


def _instant(text: str) -> datetime:
    """Parse an ISO 8601 instant: a date (midnight UTC), or a date and time with a time zone."""
    if not _SINCE.fullmatch(text):
        raise Invalid(Problem.MALFORMED, "since")
    try:
        parsed = datetime.fromisoformat(text)
        at = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # for example 30 February, or an hour before the year 1
        raise Invalid(Problem.OUT_OF_RANGE, "since") from None
    if not EPOCH <= at < _LATEST:
        raise Invalid(Problem.OUT_OF_RANGE, "since")
    return at
