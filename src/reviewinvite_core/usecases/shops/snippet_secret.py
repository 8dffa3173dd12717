"""Show or rotate the secret with which a shop's server signs its snippet. Spec: §2, §4.2, ADR-66."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.snippets import SECRET_ENTROPY_BYTES, new_secret
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, acting_locks, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class SnippetSecret:
    """The newest secret of a shop's snippet, and whether the one before it is still valid."""

    text: str = attrs.field(repr=False)
    is_replacing: bool = False


@write(locks=acting_locks)
def snippet_secret(
    ctx: UnitContext, acting: str | Caller, rotate: bool = False, seen: Shop | None = None
) -> SnippetSecret | ShopUnknown | NotAdmitted:
    """Return the newest secret of a shop; draw one if the shop has none, or to `rotate` it.

    The one that it replaces stays valid until the next rotation; nothing is rotated if that was done since `seen`. No
    key may see or rotate a secret: whoever has stolen one could sign reports after it was revoked.
    """
    shop = kept_from_keys(acting) or shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    is_stale = seen is not None and seen.snippet_secrets != shop.snippet_secrets
    if (rotate and not is_stale) or not shop.snippet_secrets:
        text = new_secret(ctx.entropy.draw(SECRET_ENTROPY_BYTES))
        shop = shop.with_snippet_secret(ctx.ring.seal_snippet_secret(text, ctx.entropy.draw(NONCE_BYTES)))
        ctx.store.shops.change(shop)
        record(ctx, shop, who_acts(ctx, acting), Action.SNIPPET_SECRET_MADE)
    return SnippetSecret(
        text=ctx.ring.open_snippet_secret(shop.snippet_secrets[0]), is_replacing=len(shop.snippet_secrets) > 1
    )
