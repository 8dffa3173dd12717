"""A shop with invitations and reviews, for tests of what its members see."""

from __future__ import annotations

import itertools
from typing import Any

from tests.links import token_of

from reviewinvite_core import Application, OrderReport, ReviewDraft, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import Review, ReviewLink

SITE = "bakkerij-1"
_numbers = itertools.count(1)


def new_shop(app: Application) -> str:
    """Add a shop that no other test has; return its site id."""
    site = f"shop-{next(_numbers)}"
    accepted(app.shops.add(a_shop(site)))
    return site


def reported(app: Application, site: str = SITE, *, delay: float = 0, **fields: Any) -> str:
    """Report an order; return the id of its invitation."""
    number = f"A-{next(_numbers)}"
    order = OrderReport(email=f"{number}@example.com", **{"order_number": number, "delay_days": delay, **fields})
    return accepted(app.orders.report(accepted(app.shops.act_for(site)), order)).invite_id


def written(app: Application, site: str = SITE, rating: int = 5, **fields: Any) -> Review:
    """Have a customer of the shop write a review; `fields` are those of `ReviewDraft`, and `order_number`."""
    order = {"order_number": fields.pop("order_number")} if "order_number" in fields else {}
    token = token_of(app, reported(app, site, **order), Purpose.REVIEW)
    link = app.reviews.write(token, ReviewDraft(rating=rating, **fields))
    assert isinstance(link, ReviewLink)
    assert link.review
    return link.review
