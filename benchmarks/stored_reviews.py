"""Reviews to measure with: written into storage directly, five years' worth of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from reviewinvite_core import Reported
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.values import KeyRefused, ShopInactive

YEARS = 5
_AT_ONCE = 1_000
_TIMES = 1_000
TEXT = "Snel geleverd, en het brood was nog warm. De doos was netjes dicht.\nVolgende keer bestel ik er twee."


def written_at_once(count: int) -> int:
    """Return how many of `count` reviews are written at one time; few of them fall on as many days as many do."""
    return min(_AT_ONCE, max(1, count // _TIMES))


def store_reviews(
    storage: Storage, shop: int, reported: Sequence[Reported | KeyRefused | ShopInactive], first: int, at: datetime
) -> None:
    """Store a review for each of these invitations; they are numbered from `first`, and written at once."""
    written = [
        _review(shop, first + place, each.invite_id, at)
        for place, each in enumerate(reported)
        if isinstance(each, Reported)
    ]
    assert len(written) == len(reported)
    storage.run(partial(_add, written))


def _review(shop: int, number: int, invitation: str, at: datetime) -> Review:
    """The review with this number; two of three have a text, every other one a name."""
    return Review(
        review_id=uuid7(at, number.to_bytes(10, "big")),
        shop_number=shop,
        invite_id=invitation,
        rating=1 + number % 5,
        text=TEXT if number % 3 else None,
        author="Anna" if number % 2 else None,
        language=Language.NL,
        written_at=at + timedelta(microseconds=number % _AT_ONCE),
        changed_at=at + timedelta(microseconds=number % _AT_ONCE),
        source=Source.API,
        confirmed=True,
    )


def _add(reviews: list[Review], store: Store) -> None:
    for review in reviews:
        assert store.reviews.add(review)
