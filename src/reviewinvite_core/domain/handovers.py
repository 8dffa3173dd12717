"""The high-water mark of deliveries, which reveals an older copy of the database before it sends again. ADR-20."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.locks import LockKind, lock_id


@attrs.frozen(kw_only=True)
class HighWaterMark:
    """What a host stores outside the database: the highest fence number of anything it has sent.

    `horizon` is the latest instant for which anything that it sent was scheduled, or None if it has sent nothing.
    """

    host: str
    number: int
    horizon: datetime | None = None


@attrs.frozen(kw_only=True)
class DeliveryHost:
    """What the database stores about a host: the number of its last fence.

    If the host's high-water mark was found ahead of that, `ahead` is its number and `horizon` its horizon, until
    reconciled.
    """

    host: str
    fence: int
    ahead: int | None = None
    horizon: datetime | None = None


class Pause(StrEnum):
    """Why nothing is delivered until an operator reconciles."""

    MARK_AHEAD = "mark_ahead"
    MARK_MISSING = "mark_missing"
    OTHER_HOST_AHEAD = "other_host_ahead"


_WORDS = {
    Pause.MARK_AHEAD: "this host has sent more than the database knows of, so the database is an older copy",
    Pause.MARK_MISSING: "the hand-over mark of this database is missing, so it may be an older copy",
    Pause.OTHER_HOST_AHEAD: "another host has sent more than the database knows of, so the database is an older copy",
}


class DeliveryPaused(ConfigurationError):
    """Deliveries are paused because what is due may already have been sent."""

    def __init__(self, pause: Pause) -> None:
        super().__init__(f"deliveries are paused: {_WORDS[pause]}; run `reviewinvite db reconcile`")
        self.pause = pause


def pause_of(high_water_mark: HighWaterMark, hosts: Iterable[DeliveryHost]) -> Pause | None:
    """Return why a host with this mark must not deliver, or None if it may.

    `hosts` are what the database stores about this host and about the hosts that are ahead.
    """
    others_ahead = False
    fence = 0  # a host unknown to the database counts as one that has sent nothing
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
