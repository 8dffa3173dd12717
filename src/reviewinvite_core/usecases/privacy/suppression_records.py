"""A suppression and its shop."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import Suppression
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class SuppressionRecord:
    """A suppression and its shop (None: all shops); `stopped` is the number of invitations that it suppressed."""

    suppression: Suppression
    shop: Shop | None
    stopped: int = 0


def address_hash_of(ctx: UnitContext, email: str) -> bytes:
    return address_hash(ctx.ring.address, EmailAddress.parse(email))


def shop_for(ctx: UnitContext, site_id: str | None) -> Shop | ShopUnknown | None:
    return None if site_id is None else ctx.store.shops.by_site_id(site_id) or ShopUnknown(site_id)
