"""Create, list and revoke API keys. Spec: §2."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import ENTROPY_BYTES, OPERATOR, Actor, ApiKey, Operator, SecretKey
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.refusals import KeyExists, KeyRefused, KeyUnknown, LimitReached, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.text import short_text
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.activity import notify_of_key, record, refusal_to_mail, who_acts
from reviewinvite_core.usecases.admission import (
    CHANGE,
    RETRACTION,
    NotAdmitted,
    admit,
    kept_from_keys,
    shop_of,
    shop_of_reader,
)
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class NewKey:
    """A new key; its text cannot be shown again later."""

    secret: SecretKey
    api_key: ApiKey


@write()
def create_key(
    ctx: UnitContext, actor: str | Actor, label: str, idempotency_key: str = ""
) -> NewKey | ShopUnknown | KeyExists | NotAdmitted:
    """Create a key for a shop, with a label (may be empty), and notify the owners.

    Only its hash and its last four characters are stored. A repeated idempotency key makes no second key.

    Raises: `Invalid` if the label holds control characters or is longer than 100 characters.
    """
    shop = kept_from_keys(actor) or shop_of(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    key_id = _id_from(shop, idempotency_key) if idempotency_key else f"key_{ctx.entropy.draw(8).hex()}"
    if ctx.store.api_keys.by_id(key_id):
        return KeyExists(key_id)
    by = who_acts(ctx, actor)
    refusal = refusal_to_mail(ctx, shop, by)
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
    record(ctx, shop, by, Action.KEY_CREATED, api_key.shown_as)
    notify_of_key(ctx, shop, NoticeKind.KEY_CREATED, api_key, by)
    return NewKey(secret=secret, api_key=api_key)


def _id_from(shop: Shop, idempotency_key: str) -> str:
    """Return the id of the key that a request makes: the key itself is then the record that it was made."""
    request = f"{shop.number} {idempotency_key}".encode(errors="surrogatepass")
    return f"key_{hashlib.sha256(request).hexdigest()[:16]}"


@read
def list_keys(ctx: UnitContext, actor: str | Actor) -> Sequence[ApiKey] | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's keys, the oldest first, including revoked keys; no key lists them."""
    shop = kept_from_keys(actor) or shop_of_reader(ctx, actor)
    return ctx.store.api_keys.of_shop(shop.number) if isinstance(shop, Shop) else shop


@write()
def revoke_key(ctx: UnitContext, key_id: str, actor: Actor | Operator) -> ApiKey | KeyUnknown | NotAdmitted:
    """Revoke a key, so that it is refused from the next request on, and notify the owners; once for each key.

    Another shop's key is unknown to an actor. A shop may revoke its keys while it is inactive.
    """
    whose = actor if actor is OPERATOR else kept_from_keys(actor) or admit(ctx, actor, RETRACTION)
    if not isinstance(whose, Shop | Operator):
        return whose
    key = ctx.store.api_keys.by_id(key_id)
    if key is None or (isinstance(whose, Shop) and key.shop_number != whose.number):
        return KeyUnknown(key_id)
    if key.revoked_at is None:
        ctx.store.api_keys.revoke(key_id, ctx.now)
        shop = whose if isinstance(whose, Shop) else ctx.store.shops.by_number(key.shop_number)
        if shop:
            by = who_acts(ctx, actor)
            record(ctx, shop, by, Action.KEY_REVOKED, key.shown_as)
            notify_of_key(ctx, shop, NoticeKind.KEY_REVOKED, key, by)
    return ctx.store.api_keys.by_id(key_id) or KeyUnknown(key_id)
