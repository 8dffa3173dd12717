"""Who is it that asks? Spec: §5."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.errors import KeyRefused, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def authenticate(ctx: UnitContext, presented: str) -> Caller | KeyRefused:
    """The caller who holds the presented key. Revocation counts from the next call, on every process."""
    key = SecretKey.parse(presented)
    holder = holders_of(ctx, [key])[0] if key else KeyRefused(presented=True)
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    return Caller(shop_number=shop.number, site_id=shop.site_id, key_id=api_key.key_id)


def holders_of(ctx: UnitContext, keys: Sequence[SecretKey]) -> Sequence[tuple[ApiKey, Shop] | KeyRefused]:
    """For each key the stored one and its shop, unless it is unknown or revoked."""
    known = ctx.store.api_keys.holders([key.hash for key in keys])
    holders = [known.get(key.hash) for key in keys]
    return [holder if holder and holder[0].revoked_at is None else KeyRefused(presented=True) for holder in holders]


@read
def act_for(ctx: UnitContext, site_id: str) -> Caller | ShopUnknown:
    """A caller on an operator's or embedder's own word, without a key: what it reports is under no limit."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    return Caller(shop_number=shop.number, site_id=shop.site_id)
