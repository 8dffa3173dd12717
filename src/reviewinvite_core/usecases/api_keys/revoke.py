"""Revoke an API key. Spec: §5."""

from __future__ import annotations

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, ApiKey, Caller, Operator
from reviewinvite_core.domain.errors import KeyUnknown
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity.notify import notify_of_key
from reviewinvite_core.usecases.activity.record import record, who_acts
from reviewinvite_core.usecases.api_keys.admission import RETRACTION, NotAdmitted, admit, kept_from_keys
from reviewinvite_core.usecases.context import UnitContext


@write()
def revoke_key(ctx: UnitContext, key_id: str, caller: Caller | Operator) -> ApiKey | KeyUnknown | NotAdmitted:
    """Revoke a key, so that it is refused from the next request on, and notify the owners; once for each key.

    Another shop's key is unknown to a caller. A shop may revoke its keys while it is inactive.
    """
    whose = caller if caller is OPERATOR else kept_from_keys(caller) or admit(ctx, caller, RETRACTION)
    if not isinstance(whose, Shop | Operator):
        return whose
    key = ctx.store.api_keys.by_id(key_id)
    if key is None or (isinstance(whose, Shop) and key.shop_number != whose.number):
        return KeyUnknown(key_id)
    if key.revoked_at is None:
        ctx.store.api_keys.revoke(key_id, ctx.now)
        shop = whose if isinstance(whose, Shop) else ctx.store.shops.by_number(key.shop_number)
        if shop:
            actor = who_acts(ctx, caller)
            record(ctx, shop, actor, Action.KEY_REVOKED, key.shown_as)
            notify_of_key(ctx, shop, NoticeKind.KEY_REVOKED, key, actor)
    return ctx.store.api_keys.by_id(key_id) or KeyUnknown(key_id)
