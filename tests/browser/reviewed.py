"""Shops with reviews, for pages to show."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tests.links import token_of

from reviewinvite_core import Application, Caller, NewReply, Reported, Review, ReviewDraft, ReviewLink
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import a_shop, an_order_report

_numbers = itertools.count(1)


def a_reviewed_shop(app: Application, drafts: Iterable[ReviewDraft], *, reply: str | None = None) -> str:
    """The site id of a new shop whose customers wrote this, the last of them last; each has the shop's reply."""
    number = next(_numbers)
    site = f"reviewed-{number}"
    app.add_shop(a_shop(site))
    app.add_domain(site, f"reviewed{number}.example.nl", assume_verified=True)
    caller = app.act_for(site)
    assert isinstance(caller, Caller)
    for draft in drafts:
        review = _written(app, caller, draft)
        if reply:
            app.answer_review(caller, review.review_id, NewReply(text=reply))
    return site


def _written(app: Application, caller: Caller, draft: ReviewDraft) -> Review:
    number = next(_numbers)
    report = an_order_report(f"customer{number}@example.com", order_number=str(number), delay=0)
    reported = app.report_order(caller, report)
    assert isinstance(reported, Reported)
    written = app.write_review(token_of(app, reported.invite_id, Purpose.REVIEW), draft)
    assert isinstance(written, ReviewLink)
    assert written.review
    return written.review
