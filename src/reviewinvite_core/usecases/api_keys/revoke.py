"""Revoke an API key. Spec: §5."""

from __future__ import annotations

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.errors import KeyUnknown
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


@write()
def revoke_key(ctx: UnitContext, key_id: str) -> ApiKey | KeyUnknown:
    """Revoke a key, so that it is refused from the next request on; repeating this changes nothing."""
    ctx.store.api_keys.revoke(key_id, ctx.now)
    return ctx.store.api_keys.by_id(key_id) or KeyUnknown(key_id)
