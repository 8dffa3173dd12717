"""Delete what is known of members for longer than it is needed: links, sessions, activity and former members."""

from __future__ import annotations

from reviewinvite_core.domain.limits import HOUR
from reviewinvite_core.domain.policy import ACTIVITY_KEPT_FOR, DEVICE_KNOWN_FOR, FORMER_MEMBERS_KEPT_FOR
from reviewinvite_core.usecases.context import UnitContext

MOST_AT_ONCE = 500


def sweep_members(ctx: UnitContext) -> int:
    """Delete what is out of date, at most 500 rows of each kind; return how many.

    A link that has expired still counts against the limits for an hour.
    """
    store, now = ctx.store, ctx.now
    return (
        store.sign_in_links.sweep(now - HOUR, MOST_AT_ONCE)
        + store.sessions.sweep(now - DEVICE_KNOWN_FOR, MOST_AT_ONCE)
        + store.activity.sweep(now - ACTIVITY_KEPT_FOR, MOST_AT_ONCE)
        + store.members.sweep(now - FORMER_MEMBERS_KEPT_FOR, MOST_AT_ONCE)
    )
