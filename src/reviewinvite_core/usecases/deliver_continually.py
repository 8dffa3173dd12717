"""The delivery worker: deliver what is due, again and again, until told to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.usecases.deliver_due import PAUSE_SECONDS, PostOffice, Stop, deliver_due
from reviewinvite_core.usecases.tidy_up import expire_overdue, recover_abandoned, sweep_tallies
from reviewinvite_core.usecases.work import Perform

POLL_SECONDS = 0.5
TIDY_EVERY = 60  # polls that found nothing due


def deliver_once(perform: Perform, office: PostOffice, stop: Stop) -> Iterator[Invitation]:
    """Tidy up, then deliver until nothing is due or `stop` is set; yields each invitation as it was left."""
    yield from _tidy(perform)
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
    polls = 0
    while not stop.is_set():
        try:
            if polls % TIDY_EVERY == 0:
                for invitation in _tidy(perform):
                    on_change(invitation)
            polls += 1
            delivered = 0
            with closing(deliver_due(perform, office, stop, on_trouble=on_trouble)) as deliveries:
                for invitation in deliveries:
                    delivered += 1
                    on_change(invitation)
        except Exception as trouble:  # one that nobody foresaw costs a pause, not all deliveries from now on
            on_trouble(trouble)
            stop.wait(PAUSE_SECONDS)
        else:
            if not delivered:
                stop.wait(POLL_SECONDS)


def _tidy(perform: Perform) -> Iterator[Invitation]:
    yield from perform(recover_abandoned)
    yield from perform(expire_overdue)
    perform(sweep_tallies)
