"""The delivery worker: deliver what is due, again and again, until told to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.usecases.deliver_due import PostOffice, deliver_due
from reviewinvite_core.usecases.tidy_up import expire_overdue, recover_abandoned, sweep_tallies
from reviewinvite_core.usecases.work import Perform

POLL_SECONDS = 0.5
TIDY_EVERY = 60  # polls that found nothing due


class Stop(Protocol):
    """A wish to stop; `threading.Event` is one."""

    def is_set(self) -> bool:
        """Whether it was made."""
        ...

    def wait(self, timeout: float) -> bool:
        """Wait for it for so many seconds; whether it was made."""
        ...


def deliver_once(
    perform: Perform, office: PostOffice, *, stopping: Callable[[], bool] = lambda: False
) -> Iterator[Invitation]:
    """Tidy up, then deliver until nothing is due; yields each invitation as it was left."""
    yield from _tidy(perform)
    while not stopping():
        delivered = 0
        for invitation in deliver_due(perform, office, stopping=stopping):
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
    on_trouble: Callable[[StorageUnavailable], None],
) -> None:
    """Deliver until `stop` is set; storage that is away is waited for.

    `on_change` is told each invitation as it was left, `on_trouble` each failure of storage.
    """
    polls = 0
    while not stop.is_set():
        try:
            if polls % TIDY_EVERY == 0:
                for invitation in _tidy(perform):
                    on_change(invitation)
            polls += 1
            delivered = 0
            for invitation in deliver_due(perform, office, stopping=stop.is_set):
                delivered += 1
                on_change(invitation)
        except StorageUnavailable as trouble:
            on_trouble(trouble)
            stop.wait(2 * POLL_SECONDS)
        else:
            if not delivered:
                stop.wait(POLL_SECONDS)


def _tidy(perform: Perform) -> Iterator[Invitation]:
    yield from perform(recover_abandoned)
    yield from perform(expire_overdue)
    perform(sweep_tallies)
