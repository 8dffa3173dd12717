"""List shops."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def list_shops(ctx: UnitContext) -> Sequence[Shop]:
    """Return all shops, sorted by site id."""
    return ctx.store.shops.every()
