"""Create an API key. Spec: §2, §5."""

from __future__ import annotations

import hashlib

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import ENTROPY_BYTES, ApiKey, Caller, SecretKey
from reviewinvite_core.domain.errors import KeyExists, ShopUnknown
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.text import short_text
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.limit import refusal_to_mail
from reviewinvite_core.usecases.activity.notify import notify_of_key
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import CHANGE, NotAdmitted, kept_from_keys, shop_of
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class NewKey:
    """A new key; its text cannot be shown again later."""

    secret: SecretKey
    api_key: ApiKey


@write()
def create_key(
    ctx: UnitContext, acting: str | Caller, label: str, idempotency_key: str = ""
) -> NewKey | ShopUnknown | KeyExists | NotAdmitted:
    """Create a key for a shop, with a label (may be empty), and notify the owners.

    Only its hash and its last four characters are stored. A repeated idempotency key makes no second key.

    Raises: `Invalid` if the label holds control characters or is longer than 100 characters.
    """
    shop = kept_from_keys(acting) or shop_of(ctx, acting, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    key_id = _id_from(shop, idempotency_key) if idempotency_key else f"key_{ctx.entropy.draw(8).hex()}"
    if ctx.store.api_keys.by_id(key_id):
        return KeyExists(key_id)
    actor = who_acts(ctx, acting)
    refusal = refusal_to_mail(ctx, shop, actor)
    if refusal:
        return refusal
    secret = SecretKey.make(ctx.entropy.draw(ENTROPY_BYTES))
    api_key = ApiKey(
        key_id=key_id,
        shop_number=shop.number,
        hash=secret.hash,
        last_four=secret.last_four,
        label=short_text(label, "label", longest=100) if label else "",
        created_at=ctx.now,
    )
    ctx.store.api_keys.add(api_key)
    record(ctx, shop, actor, Action.KEY_CREATED, api_key.shown_as)
    notify_of_key(ctx, shop, NoticeKind.KEY_CREATED, api_key, actor)
    return NewKey(secret=secret, api_key=api_key)


def _id_from(shop: Shop, idempotency_key: str) -> str:
    """Return the id of the key that a request makes: the key itself is then the record that it was made."""
    request = f"{shop.number} {idempotency_key}".encode(errors="surrogatepass")
    return f"key_{hashlib.sha256(request).hexdigest()[:16]}"
