"""Rotate the signing keys. ADR-24."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.errors import StandbyTooNew
from reviewinvite_core.domain.signing import KeyState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.signing_keys.key_set import KeySet, current_keys, move_key

Rotated: TypeAlias = KeySet | StandbyTooNew


@write()
def rotate(ctx: UnitContext) -> Rotated:
    """Sign with the standby, retire the previous key, and announce a new standby.

    Refused if the standby has been published for less than 24 hours, since verifiers may not know it.
    """
    ripe_at = current_keys(ctx).standby.ripe_at
    return StandbyTooNew(ripe_at) if ctx.now < ripe_at else rotate_now(ctx)


@write()
def rotate_now(ctx: UnitContext) -> KeySet:
    """Rotate at once, however new the standby is; for emergencies."""
    move_key(ctx, current_keys(ctx).signing, KeyState.RETIRED)
    return current_keys(ctx)
