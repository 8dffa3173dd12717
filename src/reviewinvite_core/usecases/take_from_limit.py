"""Take one from a limit, exactly. Spec: §8, ADR-5."""

from __future__ import annotations

from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.limits import Limit, Subject
from reviewinvite_core.usecases.work import Work


def take_from_limit(work: Work, limit: Limit, subject: Subject) -> LimitReached | None:
    """Count one against the limit, or say when the next fits; what is refused takes nothing."""
    if limit.off:
        return None
    nth_newest = work.store.tallies.nth_newest(subject, limit.count)
    refusal = limit.refusal(nth_newest, work.now)
    if refusal is None:
        work.store.tallies.admit(subject, work.now, replacing_nth=limit.count if nth_newest else None)
    return refusal
