"""Measure what waits to be sent, and what waits for an operator's word. Spec: §8."""

from __future__ import annotations

from datetime import datetime, timedelta

import attrs

from reviewinvite_core.usecases.context import UnitContext

MOST_COUNTED = 100_000
MOST_UNCERTAIN = 1_000


@attrs.frozen(kw_only=True)
class Backlog:
    """Number of invitations that are due, and for how long the oldest has been; and the number that are uncertain.

    Those due are counted up to 100,000, and those uncertain up to 1,000. `relay_refuses_since` is since when the mail
    server refuses all mail, or None.
    """

    due: int
    oldest_due: timedelta
    uncertain: int
    relay_refuses_since: datetime | None = None

    @property
    def relay_refuses(self) -> bool:
        """Whether the mail server refuses all mail."""
        return self.relay_refuses_since is not None


def measure_backlog(ctx: UnitContext) -> Backlog:
    """Return the backlog of all shops; reads at most as many rows as it counts."""
    invitations = ctx.store.invitations
    oldest = invitations.oldest_due(ctx.now)
    return Backlog(
        due=invitations.count_due(ctx.now, MOST_COUNTED) if oldest else 0,
        oldest_due=ctx.now - oldest if oldest else timedelta(0),
        uncertain=len(invitations.uncertain(shop=None, reason=None, after=None, limit=MOST_UNCERTAIN)),
        relay_refuses_since=ctx.store.relay.state().outage_since,
    )
