"""Orders as shops and browsers report them, and the invitations that they lead to. Spec: §2, §4.1, §4.2."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

import attrs

from reviewinvite_core.domain.orders import OrderReport, Reported, SnippetReport
from reviewinvite_core.wire.patterns import ADDRESS, REPORTED_NUMBER
from reviewinvite_core.wire.shape import Shape, about, describe, member
from reviewinvite_core.wire.shared import DELAY_DAYS, ID, INSTANT, LANGUAGE, SITE_ID

_EMAIL = about(
    "The customer's e-mail address, used only to send the invitation.",
    examples=["anna@example.com"],
    format="email",
    max_length=254,
    pattern=ADDRESS,
)
_ORDER_NUMBER = about(
    "The order number of the shop. Blanks around it are ignored, and an empty one counts as none.",
    REPORTED_NUMBER,
    examples=["1001"],
)

describe(
    OrderReport,
    "A completed order.",
    email=_EMAIL,
    order_number=_ORDER_NUMBER,
    language=about("Language of the invitation. Defaults to the shop's language.", LANGUAGE),
    delay_days=about("Days until the invitation is due, with fractions. Defaults to the shop's delay.", DELAY_DAYS),
)
describe(
    SnippetReport,
    "An order reported by a customer's browser, and the shop that it names.",
    site_id=about(
        "The shop's public identifier, as in its badge. It is not a secret.", SITE_ID, examples=["bakkerij-de-molen"]
    ),
    email=_EMAIL,
    order_number=_ORDER_NUMBER,
    signature=about(
        "Hex of HMAC-SHA256 over `v1`, `siteId`, `email` and `orderNumber`, joined by line feeds.",
        example=None,
        examples=["b0ee8b5b1b5c4d7a7a1f4d4a0a1f1c5dd6c0dbb7f6ad2a3d3a2d8d3c0d1d8f3e"],
    ),
)


@attrs.frozen(kw_only=True)
class ReportedOrder(Shape):
    """The invitation of a reported order; `duplicate` if the order was already known. Spec: §2."""

    published_as: ClassVar = "Reported"

    invite_id: str = member(ID)
    scheduled_for: datetime = member("When the invitation is due.", INSTANT, example="2026-03-07T09:15:30.120Z")
    duplicate: bool = member("Present if the order was reported before.", default=False, const=True, optional=True)

    @classmethod
    def of(cls, reported: Reported) -> ReportedOrder:
        return cls(invite_id=reported.invite_id, scheduled_for=reported.scheduled_for, duplicate=reported.duplicate)


@attrs.frozen(kw_only=True)
class Acknowledged(Shape):
    """The report was accepted. It does not say whether the order is new, repeated or dropped. Spec: §4.2."""

    ok: bool = member(default=True, example=True)
