"""Storage of invitations and the orders they belong to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.frequency import Contacts, Recipient
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports.delivery import Deliveries


class Invitations(Deliveries[Invitation], Protocol):
    """Invitations and the orders they belong to.

    One is overdue if it was due before the instant asked for, whether its shop is active or not. In doubt are those to
    be sent, or due, by then. A change adds to the history; the stored address and provenance do not change.
    """

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        """Store each order's new invitation, not yet attempted, and return it; return a known order's existing one.

        The result has one invitation for each order, in the same order. Orders with one dedup key have one address.
        """

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        """Return a shop's invitation with this id, or None."""

    def locate(self, invite_id: str) -> Invitation | None:
        """Return the invitation with this id from any shop, or None. It queries all shops: for use by people only."""

    def newest(
        self,
        *,
        shop: Shop | None,
        state: State | None,
        limit: int,
        before: str | None = None,
        order_number: str | None = None,
    ) -> Sequence[tuple[Shop, Invitation]]:
        """Return the newest invitations, newest first; None means all shops, all states or any order number.

        With `before`, only those with a lower id.
        """

    def uncertain(
        self, *, shop: Shop | None, reason: Reason | None, after: Invitation | None, limit: int
    ) -> Sequence[Invitation]:
        """Return uncertain invitations by shop and id, after `after`; None means all shops, any reason or the first."""

    def of_shop(
        self, shop_number: int, *, before: str | None, order_number: str | None, limit: int, state: State | None = None
    ) -> Sequence[Invitation]:
        """Return a shop's invitations by descending id, so newest first; None means any order number or state.

        With `before`, only those with a lower id.
        """

    def history(self, invitation: Invitation) -> Sequence[Change]:
        """Return all state changes of an invitation, oldest first, starting with the first report."""

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        """Return scheduled invitations of active shops due from `since` to `now` inclusive, longest due first.

        None as long as the mail server refuses all mail. No other unit of work gets the same invitations until this one
        has ended.
        """

    def due_in_outage(
        self, since: datetime, now: datetime, limit: int, *, shop_number: int | None
    ) -> Sequence[Invitation]:
        """Return those of one shop, as `due` does without an outage; None means all shops that were not refused yet."""

    def count_due(self, now: datetime, most: int) -> int:
        """Count the scheduled invitations of active shops that are due by `now`; stop counting at `most`."""

    def oldest_due(self, now: datetime) -> datetime | None:
        """Return since when the longest due of the invitations that `count_due` counts has been due, or None."""

    def of_address(self, address_hash: bytes, *, shop_number: int | None) -> Sequence[Invitation]:
        """Return all invitations of an address, erased or not, at one shop; `shop_number` None means all shops."""

    def contacts(self, asked: Collection[Recipient]) -> Contacts:
        """Return the invitations that count for the frequency rule: those handed over, and those that still wait.

        They are grouped by shop and address; pairs without any are left out.
        """

    def to_erase(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Return invitations that have an address, were to be sent before this instant, and are not being handed over.

        The oldest come first.
        """

    def settle(self, invitation: Invitation, confirmation: Confirmation) -> bool:
        """Settle that the order's missing confirmation is given or comes too late; return whether it was missing.

        Whoever comes second waits for the first unit of work, and finds it settled.
        """

    def forget_address(self, invitation: Invitation) -> bool:
        """Remove the sealed address, whatever the state; return whether there was one."""
