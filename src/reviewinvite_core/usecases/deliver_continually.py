"""The delivery worker: deliver what is due, again and again, until told to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.usecases.claim_due import Search
from reviewinvite_core.usecases.deliver_due import deliver_due
from reviewinvite_core.usecases.hand_over import PAUSE_SECONDS, PostOffice, Stop
from reviewinvite_core.usecases.tidy_up import expire_overdue, recover_abandoned, sweep_tallies
from reviewinvite_core.usecases.work import Perform, Work

POLL_SECONDS = 0.5
TIDY_EVERY = timedelta(seconds=30)


def deliver_once(perform: Perform, office: PostOffice, stop: Stop) -> Iterator[Invitation]:
    """Tidy up, then deliver until nothing is due or `stop` is set; yields each invitation as it was left."""
    yield from _tidy(perform, stop)
    while not stop.is_set():
        delivered = 0
        with closing(deliver_due(perform, office, stop)) as deliveries:
            for invitation in deliveries:
                delivered += 1
                yield invitation
        if not delivered:
            return


def deliver_continually(
    perform: Perform,
    office: PostOffice,
    stop: Stop,
    *,
    on_change: Callable[[Invitation], None],
    on_trouble: Callable[[Exception], None],
) -> None:
    """Deliver until `stop` is set; storage that is away is waited for, and no fault ends it.

    `on_change` is told each invitation as it was left, `on_trouble` each failure, of storage or any other.
    """
    tidying, search = _Tidying(perform, stop), Search()
    while not stop.is_set():
        delivered = False
        try:
            for invitation in tidying.when_due(perform(_instant), search):
                on_change(invitation)
            with closing(deliver_due(perform, office, stop, search=search, on_trouble=on_trouble)) as deliveries:
                for invitation in deliveries:
                    delivered = True
                    on_change(invitation)
                    for tidied in tidying.when_due(invitation.changed_at, search):
                        on_change(tidied)
        except Exception as trouble:  # one that nobody foresaw costs a pause, not all deliveries from now on
            on_trouble(trouble)
            stop.wait(PAUSE_SECONDS)
        else:
            if not delivered:
                stop.wait(POLL_SECONDS)


def _instant(work: Work) -> datetime:
    return work.now


@attrs.define
class _Tidying:
    """Tidies up by the clock, so that neither much work nor a slow mail server puts it off."""

    _perform: Perform
    _stop: Stop
    _tidied_at: datetime | None = None

    def when_due(self, now: datetime, search: Search) -> Iterator[Invitation]:
        """Tidy up if that was last begun 30 seconds ago, or by a clock that was set since; and search anew."""
        if self._tidied_at is not None and abs(now - self._tidied_at) < TIDY_EVERY:
            return
        self._tidied_at = now  # first of all, so that a fault in it keeps nothing from being delivered
        search.begin_anew()
        yield from _tidy(self._perform, self._stop)


def _tidy(perform: Perform, stop: Stop) -> Iterator[Invitation]:
    for chore in (recover_abandoned, expire_overdue):
        while not stop.is_set() and (changed := perform(chore)):
            yield from changed
    perform(sweep_tallies)
