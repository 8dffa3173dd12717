"""Compare the stored figures behind scores with the reviews, and correct them. ADR-27."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.ports import Store
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.store import exclusive_locks


def miscounted(store: Store) -> Sequence[str]:
    """Return, in words, which stored figures differ from a recount; reads every review."""
    return [
        f"the stored figures for the reviews of {shop.site_id} differ from a recount; `reviewinvite db recount` "
        "corrects them"
        for shop in _wrong(store)
    ]


@write(locks=exclusive_locks)
def recount(ctx: UnitContext) -> Sequence[str]:
    """Replace stored figures that differ from a recount; return the site ids of their shops, sorted."""
    wrong = _wrong(ctx.store)
    for shop in wrong:
        ctx.store.reviews.keep_figures(shop.number, ctx.store.reviews.recount(shop.number))
    return [shop.site_id.text for shop in wrong]


def _wrong(store: Store) -> Sequence[Shop]:
    reviews = store.reviews
    return [shop for shop in store.shops.every() if reviews.figures(shop.number) != reviews.recount(shop.number)]
