"""Revoke a compromised signing key. ADR-24."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.errors import AlreadyCompromised, SigningKeyUnknown
from reviewinvite_core.domain.signing import KeyState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.signing_keys.key_set import KeySet, current_keys, move_key

Revoked: TypeAlias = KeySet | SigningKeyUnknown | AlreadyCompromised


@write()
def revoke_key(ctx: UnitContext, key_id: str) -> Revoked:
    """Stop publishing a compromised key, and replace it if it was signing or the standby; return the keys in use."""
    known = {key.key_id: key for key in ctx.store.signing_keys.every()}
    key = known.get(key_id)
    if key is None:
        return SigningKeyUnknown(key_id)
    if key.state is KeyState.COMPROMISED:
        return AlreadyCompromised(key_id)
    move_key(ctx, key, KeyState.COMPROMISED)
    return current_keys(ctx)
