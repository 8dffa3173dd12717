"""The results that metrics count, and the labels that they get; every label has few values, known beforehand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product

from reviewinvite_core import Reason, Reported, State
from reviewinvite_core.values import (
    Acknowledged,
    BadgeHidden,
    BadgeShown,
    KeyRefused,
    LimitReached,
    NoticeKind,
    OrderResult,
    OriginForeign,
    ShopInactive,
    ShopUnknown,
    SignatureRefused,
    SnippetOff,
    Verified,
    WhyHidden,
)

OTHER = "other"

LIMITS: Sequence[str] = (
    "orders_per_minute",
    "reads_per_minute",
    "snippets_per_minute",
    "snippets_per_day",
    "snippets_per_client_day",
    "views_per_day_free",
    "views_per_day_member",
    "views_per_client_percent",
    OTHER,
)
"""Names of the settings of limits; what has no setting is `other`."""

_REFUSALS: Mapping[type, str] = {
    each: re.sub("(?<!^)(?=[A-Z])", "_", each.__name__).lower()
    for each in (*(KeyRefused, LimitReached, OriginForeign), *(ShopInactive, ShopUnknown, SignatureRefused, SnippetOff))
}
_ACCEPTED = (OrderResult.CREATED, OrderResult.DUPLICATE, OrderResult.SUPPRESSED)
_BY_SERVER = tuple(map(str, _ACCEPTED)), ("key_refused", "shop_inactive", "limit_reached", "invalid")
_BY_BROWSER = (
    tuple(map(str, OrderResult)),
    ("limit_reached", "invalid", "origin_foreign", "shop_inactive", "snippet_off", "signature_refused"),
)

SOURCES = {
    "report_order": "api",
    "charge_order": "api",
    "report_snippet": "snippet",
    "charge_client": "snippet",
    "import_orders": "import",
}
"""Where orders come from, by use case."""

ORDERS: Sequence[tuple[str, str]] = (
    *product(["api"], [*_BY_SERVER[0], *_BY_SERVER[1]]),
    *product(["snippet"], [*_BY_BROWSER[0], *_BY_BROWSER[1]]),
    *product(["import"], [*_BY_SERVER[0], "key_refused", "shop_inactive"]),
)

VIEWED = {"show_badge": "badge", "verify_trust_mark": "statement"}
"""What is viewed, by use case."""

VIEWS: Sequence[tuple[str, str]] = (
    *product(["badge"], ["counted", *map(str, WhyHidden)]),
    *product(["statement"], ["counted", "shop_unknown", "limit_reached"]),
)

DELIVERED = {State.REJECTED: "refused", State.SCHEDULED: "postponed"}
"""States that an operator knows by other names when a delivery ends in them; `postponed` is tried again."""

REFUSED = frozenset({Reason.REFUSED, Reason.REFUSED_FOR_NOW})
"""Reasons of what the mail server refused."""

ENDS: Sequence[str] = tuple(DELIVERED.get(state, state.value) for state in State)
MESSAGES: Sequence[tuple[str, str]] = tuple(product(map(str, NoticeKind), ENDS))


def result_of_order(answer: object) -> str:
    """Return what became of a reported order."""
    if isinstance(answer, Reported | Acknowledged):
        return answer.result.value
    if answer is None:  # what could not be read was charged all the same
        return "invalid"
    return _REFUSALS.get(type(answer), OTHER)


def result_of_view(answer: object) -> str | None:
    """Return what became of a view, or None for a dry run."""
    if isinstance(answer, BadgeShown | Verified):
        return "counted" if answer.counted else None
    if isinstance(answer, BadgeHidden):
        return answer.why.value
    return _REFUSALS.get(type(answer), OTHER)


def limit_of(answer: object) -> str | None:
    """Return the name of the limit that is used up, if that is the answer."""
    if isinstance(answer, LimitReached):
        return answer.limit if answer.limit in LIMITS else OTHER
    if isinstance(answer, BadgeHidden) and answer.limit:
        return answer.limit
    return None
