"""See and change which addresses must not be written to. Spec: §6 (Suppression), ADR-16."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import NotSuppressed, OptedOut, ShopUnknown
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.unsubscribe import stop_waiting


@attrs.frozen(kw_only=True)
class SuppressionRecord:
    """A suppression and its shop, None where it is for all; `stopped` invitations were suppressed by adding it."""

    suppression: Suppression
    shop: Shop | None
    stopped: int = 0


def add_suppression(ctx: UnitContext, email: str, site_id: str | None) -> SuppressionRecord | ShopUnknown:
    """Have one shop, or all where `site_id` is None, never write to this address.

    What still waits for it is suppressed. One that stands already stays as it is.

    Raises: `Invalid` for what is no address.
    """
    hashed = _hash_of(ctx, email)
    shop = _shop(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    number = shop.number if shop else None
    new = Suppression(address_hash=hashed, shop_number=number, by=SuppressedBy.OPERATOR, suppressed_at=ctx.now)
    added = ctx.store.suppressions.add(new)
    standing = new if added else _standing(ctx, hashed, number) or new
    return SuppressionRecord(suppression=standing, shop=shop, stopped=stop_waiting(ctx, hashed, number))


def list_suppressions(ctx: UnitContext, limit: int) -> Sequence[SuppressionRecord]:
    """The newest suppressions, the newest first, at most `limit`."""
    shops = {shop.number: shop for shop in ctx.store.shops.every()}
    newest = ctx.store.suppressions.newest(limit)
    return [SuppressionRecord(suppression=each, shop=shops.get(each.shop_number or 0)) for each in newest]


def remove_suppression(
    ctx: UnitContext, email: str, site_id: str | None, word: SuppressedBy
) -> SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut:
    """Let one shop, or all where `site_id` is None, write to this address again; gives what stood there.

    A customer's own opt-out is taken back by the customer's own word only. What has been suppressed stays so.

    Raises: `Invalid` for what is no address.
    """
    hashed = _hash_of(ctx, email)
    shop = _shop(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    removed = ctx.store.suppressions.remove(hashed, shop_number=shop.number if shop else None)
    if removed is None:
        return NotSuppressed(elsewhere=bool(ctx.store.suppressions.of_address(hashed)))
    if removed.by is SuppressedBy.CUSTOMER and word is not SuppressedBy.CUSTOMER:
        ctx.store.suppressions.add(removed)
        return OptedOut()
    return SuppressionRecord(suppression=removed, shop=shop)


def _hash_of(ctx: UnitContext, email: str) -> bytes:
    return address_hash(ctx.ring.address, EmailAddress.parse(email))


def _shop(ctx: UnitContext, site_id: str | None) -> Shop | ShopUnknown | None:
    return None if site_id is None else ctx.store.shops.by_site_id(site_id) or ShopUnknown(site_id)


def _standing(ctx: UnitContext, hashed: bytes, shop_number: int | None) -> Suppression | None:
    every = ctx.store.suppressions.of_address(hashed)
    return next((each for each in every if each.shop_number == shop_number), None)
