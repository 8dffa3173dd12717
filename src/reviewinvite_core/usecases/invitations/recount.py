"""Compare the stored figures about invitations with the invitations, and correct them. ADR-58."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.ports import Store
from reviewinvite_core.usecases.context import UnitContext


def miscounted_invitations(store: Store) -> Sequence[str]:
    """Return, in words, which stored figures differ from a recount; reads every invitation."""
    return [
        f"the stored figures for the invitations of {shop.site_id} differ from a recount; `reviewinvite db recount` "
        "corrects them"
        for shop in _wrong(store)
    ]


@write()
def recount_invitations(ctx: UnitContext) -> Sequence[str]:
    """Replace stored figures that differ from a recount; return the site ids of their shops, sorted."""
    ctx.store.invitation_figures.freeze()
    wrong = _wrong(ctx.store)
    for shop in wrong:
        ctx.store.invitation_figures.keep(shop.number, ctx.store.invitation_figures.recount(shop.number))
    return [shop.site_id.text for shop in wrong]


def _wrong(store: Store) -> Sequence[Shop]:
    figures = store.invitation_figures
    return [shop for shop in store.shops.every() if figures.figures(shop.number) != figures.recount(shop.number)]
