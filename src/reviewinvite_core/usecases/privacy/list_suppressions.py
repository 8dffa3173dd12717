"""List suppressions."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.suppression_records import SuppressionRecord


@read
def list_suppressions(ctx: UnitContext, limit: int, before: Bookmark | None = None) -> Sequence[SuppressionRecord]:
    """Return up to `limit` suppressions that have not expired, newest first, after `before` if given."""
    shops = {shop.number: shop for shop in ctx.store.shops.every()}
    newest = ctx.store.suppressions.newest(limit, ctx.now, before)
    return [SuppressionRecord(suppression=each, shop=shops.get(each.shop_number or 0)) for each in newest]
