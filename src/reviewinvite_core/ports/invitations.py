"""Where invitations are stored, and which order each belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Change,
    Invitation,
)
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.shop import Shop


class Invitations(Protocol):
    """The invitations, and which order each belongs to."""

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        """Store each order's new invitation, never tried yet; for a known order give its first, as it is now."""

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        """A shop's invitation with this id."""

    def locate(self, invite_id: str) -> Invitation | None:
        """The invitation with this id, whatever its shop; asks every shop in turn, so it is for people only."""

    def newest(self, *, shop: Shop | None, state: State | None, limit: int) -> Sequence[tuple[Shop, Invitation]]:
        """The newest invitations, of one shop or all, in one state or any, the newest first."""

    def uncertain(
        self, *, shop: Shop | None, reason: Reason | None, after: Invitation | None, limit: int
    ) -> Sequence[Invitation]:
        """Uncertain invitations, of one shop or all, for one reason or any, by shop and id; those after `after`."""

    def of_shop(
        self, shop_number: int, *, before: str | None, order_number: str | None, limit: int
    ) -> Sequence[Invitation]:
        """A shop's invitations, of one order number or any, the highest id and so the newest first.

        Where an id is given, those whose id is lower.
        """

    def history(self, invitation: Invitation) -> Sequence[Change]:
        """All the changes of an invitation's state, the first report included, the oldest first."""

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        """Scheduled invitations of active shops due from `since` to `now`, both included, the longest due first.

        No other unit of work is given the same ones until this one has ended.
        """

    def count_due(self, now: datetime, most: int) -> int:
        """How many scheduled invitations of active shops are due by `now`; `most` where it is more."""

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Scheduled invitations that were to be sent before this instant, of any shop; see `due` for other units."""

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[Invitation]:
        """Invitations in a worker's hands whose lease has run out by `now`, or ends after `longest`; see `due`.

        No lease is that long: the clock was ahead when it began.
        """

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Invitation]:
        """Invitations in a worker's hands, and scheduled ones that were to be sent, or are due, by `until`.

        If `until` is None, only those that have passed the fence.
        """

    def of_address(self, address_hash: bytes, *, shop_number: int | None) -> Sequence[Invitation]:
        """All invitations of an address, erased or not, at one shop, or at all where `shop_number` is None."""

    def count_by_snippet(
        self, asked: Collection[tuple[int, bytes]], since: datetime, until: datetime
    ) -> Mapping[tuple[int, bytes], int]:
        """How many of a shop's invitations to an address browsers have reported between these instants.

        Asked by the shops' numbers, each with an address's hash; those with none are left out.
        """

    def to_erase(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Invitations that have an address still, were to be sent before this instant, and are not being handed over.

        The longest ago come first.
        """

    def change(self, before: Invitation, after: Invitation) -> bool:
        """Replace `before` by `after` and add to its history, if state and claim are still those of `before`.

        The address stays as it is stored.
        """

    def forget_address(self, invitation: Invitation) -> bool:
        """Take the sealed address away, whatever the state, which stays; whether there was one."""
