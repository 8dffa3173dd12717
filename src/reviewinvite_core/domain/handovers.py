"""The hand-over mark: what lets an older copy of the database be noticed before it sends anything again. ADR-20."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.locks import LockKind, lock_id


@attrs.frozen(kw_only=True)
class HighWaterMark:
    """What a host remembers apart from the database: the highest number that it has let out.

    `horizon` is the latest instant for which anything was scheduled that it has let out; None if it let nothing out.
    """

    host: str
    number: int
    horizon: datetime | None = None


@attrs.frozen(kw_only=True)
class DeliveryHost:
    """What the database knows of a host: the number of its last fence.

    `ahead` is the number of its mark where that was found to be ahead, and `horizon` that mark's; until reconciled.
    """

    host: str
    fence: int
    ahead: int | None = None
    horizon: datetime | None = None


class Pause(StrEnum):
    """Why nothing is delivered until an operator has reconciled."""

    MARK_AHEAD = "mark_ahead"
    MARK_MISSING = "mark_missing"
    OTHER_HOST_AHEAD = "other_host_ahead"


_WORDS = {
    Pause.MARK_AHEAD: "this host has sent more than the database knows of, so the database is an older copy",
    Pause.MARK_MISSING: "the hand-over mark of this database is missing, so it may be an older copy",
    Pause.OTHER_HOST_AHEAD: "another host has sent more than the database knows of, so the database is an older copy",
}


class DeliveryPaused(ConfigurationError):
    """Nothing is delivered: what is due may have been sent already."""

    def __init__(self, pause: Pause) -> None:
        super().__init__(f"deliveries are paused: {_WORDS[pause]}; run `reviewinvite db reconcile`")
        self.pause = pause


def pause_of(high_water_mark: HighWaterMark, hosts: Iterable[DeliveryHost]) -> Pause | None:
    """Whether a host with this mark may deliver, from what the database knows of it and of those that are ahead."""
    others_ahead = False
    fence = 0  # of a host that the database does not know: as if it had let nothing out
    for known in hosts:
        if known.host == high_water_mark.host:
            fence = known.fence
        others_ahead |= known.ahead is not None
    if high_water_mark.number > fence:
        return Pause.MARK_AHEAD
    return Pause.OTHER_HOST_AHEAD if others_ahead else None


def host_lock(host: str) -> int:
    """Return the lock of one host's fences."""
    return lock_id(LockKind.HOST, host)
