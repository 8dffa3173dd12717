"""Measure what waits to be sent or to be tried again, what is stuck, and what needs an operator's word. Spec: §8."""

from __future__ import annotations

from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.workers import Pace
from reviewinvite_core.ports import Store

MOST_COUNTED = 100_000
MOST_UNCERTAIN = 1_000


@attrs.frozen(kw_only=True)
class Backlog:
    """Number of invitations that are due, and for how long the oldest has been; and the number that are uncertain.

    `waiting_retry` counts invitations and notices that were tried in vain and wait for the next attempt.
    `oldest_first_due` is how long ago the longest waiting invitation was to be sent, due again or not. `stuck` counts
    invitations and notices that have been with a worker for more than 5 minutes. All are counted up to 100,000, but
    those stuck and uncertain up to 1,000. `workers` beat, and `workers_missing` have stopped to, without a clean stop.
    `relay_refuses_since` is since when the mail server refuses all mail, or None.
    """

    due: int
    oldest_due: timedelta
    uncertain: int
    waiting_retry: int = 0
    oldest_first_due: timedelta = timedelta(0)
    stuck: int = 0
    workers: int = 0
    workers_missing: int = 0
    relay_refuses_since: datetime | None = None

    @property
    def relay_refuses(self) -> bool:
        """Whether the mail server refuses all mail."""
        return self.relay_refuses_since is not None


def measure_backlog(store: Store, now: datetime, pace: Pace) -> Backlog:
    """Return the backlog of all shops, without the workers; reads at most as many rows as it counts."""
    invitations, workers = store.invitations, store.workers
    oldest, retrying = invitations.oldest_due(now), workers.oldest_retrying()
    oldest_due = now - oldest if oldest else timedelta(0)
    return Backlog(
        due=invitations.count_due(now, MOST_COUNTED) if oldest else 0,
        oldest_due=oldest_due,
        uncertain=len(invitations.uncertain(shop=None, reason=None, after=None, limit=MOST_UNCERTAIN)),
        relay_refuses_since=store.relay.state().outage_since,
        waiting_retry=workers.count_retrying(MOST_COUNTED),
        oldest_first_due=max(oldest_due, now - retrying) if retrying else oldest_due,
        stuck=workers.count_held(now - pace.stuck_after, MOST_UNCERTAIN),
    )
