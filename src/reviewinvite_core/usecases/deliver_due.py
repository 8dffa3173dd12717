"""Deliver what is due: claim it, then hand it over. Spec: §3, §6, ADR-7.

Each step that touches storage is a unit of work of its own and durable before the next one begins, so that a
crash at any point leaves a state from which nothing is sent twice and nothing is lost in silence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, Reason, State
from reviewinvite_core.usecases.claim_due import Assignment, Search, claim_due
from reviewinvite_core.usecases.hand_over import Courier, PostOffice, Stop, settle
from reviewinvite_core.usecases.work import Perform, Work


def deliver_due(
    perform: Perform,
    office: PostOffice,
    stop: Stop,
    *,
    most: int = 50,
    search: Search | None = None,
    on_trouble: Callable[[StorageUnavailable], None] = lambda _: None,
) -> Generator[Invitation, None, None]:
    """Deliver up to `most` due invitations; yields each as it was left, as soon as it was.

    All that is due is looked through, unless an earlier call has taken `search` further.
    What is claimed and not begun is given back when `stop` is set, a fault ends it or nobody asks for more.
    `on_trouble` is told when an answer has to wait for storage.
    """
    courier = Courier(perform, office, stop, on_trouble)
    search = search or Search()
    since = search.since
    assignments, search.since = perform(lambda work: claim_due(work, office.base_url, most, since))
    unbegun = deque(assignments)
    try:
        while unbegun and not stop.is_set():
            yield courier.deliver(unbegun.popleft())
    except BaseException:
        search.begin_anew()
        with suppress(Exception):  # what led here says more; and what stays claimed is free when its lease ends
            perform(lambda work: _give_back(work, unbegun))
        raise
    yield from perform(lambda work: _give_back(work, unbegun))


def _give_back(work: Work, unbegun: Iterable[Assignment]) -> Sequence[Invitation]:
    return [settle(work, each.invitation, State.SCHEDULED, Reason.SHUTDOWN) for each in unbegun]
