"""Shops for pages to show: with reviews, and in states that no use case would allow."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from typing import Any

import attrs
from tests.links import token_of

from reviewinvite_core import Actor, Application, NewReply, ReviewDraft, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.values import Review, ReviewLink

_numbers = itertools.count(1)


def add_reviewed_shop(app: Application, drafts: Iterable[ReviewDraft], *, reply: str | None = None) -> str:
    """Add a shop with these reviews, the last of them the newest, each with the reply; return its site id."""
    number = next(_numbers)
    site = f"reviewed-{number}"
    app.shops.add(a_shop(site))
    app.domains.add(site, f"reviewed{number}.example.nl", assume_verified=True)
    caller = accepted(app.shops.act_for(site))
    for draft in drafts:
        review = _write_review(app, caller, draft)
        if reply:
            app.reviews.reply(caller, review.review_id, NewReply(text=reply))
    return site


def _write_review(app: Application, caller: Actor, draft: ReviewDraft) -> Review:
    number = next(_numbers)
    report = an_order_report(f"customer{number}@example.com", order_number=str(number), delay_days=0)
    reported = accepted(app.orders.report(caller, report))
    written = app.reviews.write(token_of(app, reported.invite_id, Purpose.REVIEW), draft)
    assert isinstance(written, ReviewLink)
    assert written.review
    time.sleep(0.001)  # times are in whole milliseconds, and reviews of the same one have no order
    return written.review


def store_shop(storage: Storage, site: str, **changes: Any) -> None:
    """Change a shop in the storage itself, past what validates its name and its trust mark."""

    def change(store: Store) -> None:
        shop = store.shops.by_site_id(site)
        assert shop
        store.shops.change(attrs.evolve(shop, **changes))

    storage.run(change)
