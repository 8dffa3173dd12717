"""List a shop's members. Spec: §10.1."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.api_keys.admission import kept_from_keys, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.records import MemberRecord, record_of


@read
def list_members(
    ctx: UnitContext, acting: str | Caller
) -> Sequence[MemberRecord] | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's members, the one that was created first first; no key lists them."""
    shop = kept_from_keys(acting) or shop_of_reader(ctx, acting)
    if not isinstance(shop, Shop):
        return shop
    return [record_of(ctx, member, role) for member, role in ctx.store.members.of_shop(shop.number)]
