"""Authenticate callers by their API keys. Spec: §5."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.errors import KeyRefused, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@read
def authenticate(ctx: UnitContext, presented: str) -> Caller | KeyRefused:
    """Return the caller who holds the presented key; a revoked key is refused from the next call on."""
    key = SecretKey.parse(presented)
    holder = holders_of(ctx, [key])[0] if key else KeyRefused(presented=True)
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    return Caller(shop_number=shop.number, site_id=shop.site_id, key_id=api_key.key_id)


def holders_of(ctx: UnitContext, keys: Sequence[SecretKey]) -> Sequence[tuple[ApiKey, Shop] | KeyRefused]:
    """Return, for each key, the stored key and its shop; or a refusal if the key is unknown or revoked."""
    known = ctx.store.api_keys.holders([key.hash for key in keys])
    holders = [known.get(key.hash) for key in keys]
    return [holder if holder and holder[0].revoked_at is None else KeyRefused(presented=True) for holder in holders]


@read
def act_for(ctx: UnitContext, site_id: str) -> Caller | ShopUnknown:
    """Return a caller without a key, vouched for by an operator or an embedding application; no limit applies to it."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    return Caller(shop_number=shop.number, site_id=shop.site_id)
