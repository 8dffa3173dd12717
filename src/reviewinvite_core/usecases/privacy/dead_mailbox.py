"""Suppress addresses without a mailbox, for a time. Spec: §6 (Suppression), ADR-47."""

from __future__ import annotations

from reviewinvite_core.domain.suppressions import Suppression
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.stop_waiting import stop_waiting

MOST_AT_ONCE = 500


def suppress_dead_mailbox(ctx: UnitContext, address_hash: bytes) -> None:
    """Suppress an address at all shops for 180 days, with its pending invitations: a mail server has no such mailbox.

    A person's suppression for all shops stays as it is.
    """
    ctx.store.suppressions.add(Suppression.of_dead_mailbox(address_hash, ctx.now))
    stop_waiting(ctx, address_hash, None)


@write()
def expire_suppressions(ctx: UnitContext) -> int:
    """Delete suppressions that have expired, at most 500 at once; return how many."""
    return ctx.store.suppressions.sweep(ctx.now, MOST_AT_ONCE)
