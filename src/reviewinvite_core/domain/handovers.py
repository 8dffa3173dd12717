"""The high-water mark of deliveries, which reveals an older copy of the database before it sends. ADR-20, ADR-42."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

import attrs

from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.timing import EPOCH


@attrs.frozen(kw_only=True)
class HighWaterMark:
    """What a host stores outside the database: the highest fence number of its hand-overs.

    `forgotten` is the highest number among the hand-overs that the mark no longer names, or 0 if it names them all.
    `horizon` is the latest instant for which any of the forgotten ones was scheduled.
    """

    host: str
    number: int
    forgotten: int = 0
    horizon: datetime | None = None


@attrs.frozen(kw_only=True)
class HandOver:
    """An invitation that passed the fence with this number, at the instant `at`, just before it was sent."""

    number: int
    shop_number: int
    invite_id: str
    scheduled_for: datetime
    at: datetime

    @property
    def early(self) -> bool:
        """Whether it was sent before its time because an operator asked for it."""
        return self.scheduled_for > self.at


@attrs.frozen(kw_only=True)
class Ahead:
    """What a host has sent that the database does not know of, and the number of the host's mark.

    `named` lists all these invitations if `horizon` is None. Otherwise, any invitation scheduled for an instant up to
    `horizon` may also have been sent.
    """

    host: str
    number: int
    horizon: datetime | None = None
    named: tuple[ItemKey, ...] = ()


@attrs.frozen(kw_only=True)
class RecordedHandOvers:
    """A mark with the hand-overs that it names, including every one with a number above `forgotten`. ADR-42."""

    mark: HighWaterMark
    named: tuple[HandOver, ...] = ()

    def since(self, fence: int) -> Ahead:
        """Return what was sent after the hand-over with the number `fence`."""
        later = sorted((each for each in self.named if each.number > fence), key=lambda each: each.number)
        return Ahead(
            host=self.mark.host,
            number=self.mark.number,
            horizon=(self.mark.horizon or EPOCH) if fence < self.mark.forgotten else None,
            named=tuple(dict.fromkeys((each.shop_number, each.invite_id) for each in later)),
        )

    def compacted(self, capacity: int) -> RecordedHandOvers:
        """Return the mark with fewer named hand-overs, so that at least an eighth of `capacity` is free.

        Hand-overs that were not early are forgotten first, the oldest before the others; they raise the horizon at most
        to the instant of their hand-over. If there are too few of them, early ones follow, the soonest scheduled first.
        Hand-overs that the new horizon covers are forgotten, too.
        """
        in_time = sorted((each for each in self.named if not each.early), key=lambda each: each.number)
        dropped = in_time[: capacity // 2]
        if missing := max(0, capacity // 8 - len(dropped)):
            early = sorted((each for each in self.named if each.early), key=lambda each: each.scheduled_for)
            dropped += early[:missing]
        horizon = max([*(each.scheduled_for for each in dropped), self.mark.horizon or EPOCH])
        forgotten = max([*(each.number for each in dropped), self.mark.forgotten])
        numbers = {each.number for each in dropped}
        kept = (each for each in self.named if each.number not in numbers)
        return RecordedHandOvers(
            mark=attrs.evolve(self.mark, forgotten=forgotten, horizon=horizon),
            # What is as old as what was forgotten, and was scheduled for no later, is covered by the horizon.
            named=tuple(each for each in kept if each.number > forgotten or each.scheduled_for > horizon),
        )


@attrs.frozen(kw_only=True)
class DeliveryHost:
    """What the database stores about a host; `fence` is its latest fence number.

    If the host's high-water mark was found to be ahead of that, `ahead` is the number of the mark, and `horizon` and
    `named` are as in `Ahead`, until an operator reconciles.
    """

    host: str
    fence: int
    ahead: int | None = None
    horizon: datetime | None = None
    named: tuple[ItemKey, ...] = ()


class Pause(StrEnum):
    """Why nothing is delivered until an operator reconciles."""

    MARK_AHEAD = "mark_ahead"
    MARK_MISSING = "mark_missing"
    OTHER_HOST_AHEAD = "other_host_ahead"


_WORDS = {
    Pause.MARK_AHEAD: "this host has sent more than the database knows of, so the database is an older copy; run",
    Pause.MARK_MISSING: "the hand-over mark of this database is missing, so the database may be an older copy; if the "
    "mark's file was left behind in a move, move it too, or else run",
    Pause.OTHER_HOST_AHEAD: "another host has sent more than the database knows of, so the database is an older copy; "
    "run",
}


class DeliveryPaused(ConfigurationError):
    """Deliveries are paused because what is due may already have been sent."""

    def __init__(self, pause: Pause) -> None:
        super().__init__(f"deliveries are paused: {_WORDS[pause]} `reviewinvite db reconcile`")
        self.pause = pause


def pause_of(high_water_mark: HighWaterMark, hosts: Iterable[DeliveryHost]) -> Pause | None:
    """Return why a host with this mark must not deliver, or None if it may.

    `hosts` is what the database stores about this host and about the hosts whose mark is ahead.
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


@lru_cache(maxsize=16)
def host_lock(host: str) -> int:
    """Return the lock that protects a host's fence number."""
    return lock_id(LockKind.HOST, host)
