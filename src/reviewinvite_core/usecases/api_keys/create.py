"""Create an API key. Spec: §2, §5."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.api_key import ENTROPY_BYTES, ApiKey, SecretKey
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.text import short_text
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class NewKey:
    """A new key; its text cannot be shown again later."""

    secret: SecretKey
    api_key: ApiKey


@write()
def create_key(ctx: UnitContext, site_id: str, label: str) -> NewKey | ShopUnknown:
    """Create a key for a shop, with a label (may be empty). Only its hash and its last four characters are stored.

    Raises: `Invalid` if the label holds control characters or is longer than 100 characters.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    secret = SecretKey.make(ctx.entropy.draw(ENTROPY_BYTES))
    api_key = ApiKey(
        key_id=f"key_{ctx.entropy.draw(8).hex()}",
        shop_number=shop.number,
        hash=secret.hash,
        last_four=secret.last_four,
        label=short_text(label, "label", longest=100) if label else "",
        created_at=ctx.now,
    )
    ctx.store.api_keys.add(api_key)
    return NewKey(secret=secret, api_key=api_key)
