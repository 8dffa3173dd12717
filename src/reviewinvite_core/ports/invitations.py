"""What is stored about orders, invitations, reviews and the people who get them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.frequency import Contacts, Recipient
from reviewinvite_core.domain.invitation_figures import Counted, InvitationFigures
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression


class Invitations(Protocol):
    """Invitations and the orders they belong to."""

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        """Store each order's new invitation, not yet attempted, and return it; return a known order's existing one.

        The result has one invitation for each order, in the same order. Orders with one dedup key have one address.
        """

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        """Return a shop's invitation with this id, or None."""

    def find_all(self, asked: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], Invitation]:
        """Return the invitations with these keys, each the number of its shop and its id; unknown ones are left out."""

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

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        """Return scheduled invitations of any shop that were to be sent before this instant.

        No other unit of work gets the same invitations; see `due`.
        """

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[Invitation]:
        """Return claimed or handing-over invitations whose lease ended by `now` or ends after `longest`; see `due`.

        No other unit of work gets the same invitations. No lease ends after `longest` unless the clock was ahead when
        it began.
        """

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Invitation]:
        """Return invitations claimed or being handed over, and scheduled ones to be sent, or due, by `until`.

        If `until` is None, return only those that have passed the fence.
        """

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

    def change(self, before: Invitation, after: Invitation) -> bool:
        """Replace `before` by `after` and add to its history if its state and claim are still those of `before`.

        Return whether it was replaced. The stored address and provenance do not change.
        """

    def change_all(self, changes: Sequence[tuple[Invitation, Invitation]]) -> Sequence[bool]:
        """Make many changes, each as `change` does; return for each whether it was made.

        No two are of the same invitation.
        """

    def settle(self, invitation: Invitation, confirmation: Confirmation) -> bool:
        """Settle that the order's missing confirmation is given or comes too late; return whether it was missing.

        Whoever comes second waits for the first unit of work, and finds it settled.
        """

    def forget_address(self, invitation: Invitation) -> bool:
        """Remove the sealed address, whatever the state; return whether there was one."""


class InvitationFigureLog(Protocol):
    """Figures about invitations, which follow each change of an invitation in its own transaction (ADR-58)."""

    def figures(self, shop_number: int, since: date = ...) -> InvitationFigures:
        """Return a shop's stored figures, those by week from the week `since` on; the default is all."""

    def totals(self, shop_number: int, since: date) -> Mapping[Counted, int]:
        """Return a shop's figures of the week `since` and later ones, summed over the weeks."""

    def recount(self, shop_number: int) -> InvitationFigures:
        """Return a shop's figures computed from its invitations; reads every one of them."""

    def freeze(self) -> None:
        """Keep other transactions from changing any figure until this one has ended."""

    def keep(self, shop_number: int, figures: InvitationFigures) -> None:
        """Replace a shop's stored figures; call `freeze` before counting them."""


class Reviews(Protocol):
    """Reviews, their history, and the figures behind scores (ADR-27)."""

    def add(self, review: Review) -> bool:
        """Store a new review and begin its history; store nothing and return False if its invitation has a review."""

    def change(self, before: Review, after: Review) -> bool:
        """Replace `before` by `after` and extend the history, if the stored revision is still that of `before`.

        Return whether it was replaced.
        """

    def find(self, shop_number: int, review_id: str) -> Review | None:
        """Return a shop's review with this id, or None."""

    def find_all(self, shop_number: int, review_ids: Collection[str]) -> Mapping[str, Review]:
        """Return those of a shop's reviews with these ids, by id; others are left out."""

    def locate(self, review_id: str) -> Review | None:
        """Return the review with this id from any shop, or None. It queries all shops: for use by people only."""

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        """Return the review written through this invitation of the shop, or None."""

    def reviewed(self, asked: Collection[tuple[int, str]]) -> Collection[tuple[int, str]]:
        """Return those invitations, each the number of its shop and its id, through which a review was written."""

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        """Return a shop's published reviews by descending id, so newest first, after the bookmark `before` if given."""

    def of_shop(
        self, shop_number: int, *, before: str | None, state: ReviewState | None, rating: int | None, limit: int
    ) -> Sequence[tuple[Review, str | None]]:
        """Return a shop's reviews, each with its order number, by descending id, so newest first; None means any.

        With `before`, only those with a lower id.
        """

    def changed(
        self,
        shop_number: int,
        *,
        after: Bookmark,
        limit: int,
        state: ReviewState | None = None,
        rating: int | None = None,
        most_read: int | None = None,
    ) -> Sequence[tuple[Review, str | None]]:
        """Return a shop's reviews, each with its order number, least recently changed first; None means any.

        They are ordered by the time of last change (`change_bookmark`) and start after the bookmark `after`. Only the
        first `most_read` reviews after it are searched.
        """

    def nth_change(self, shop_number: int, after: Bookmark, nth: int) -> Bookmark | None:
        """Return the bookmark of the nth review after this one by the time of last change, or None if there are fewer.

        The first one is number 1.
        """

    def newest(
        self, *, shop: Shop | None, state: ReviewState | None, limit: int, before: str | None = None
    ) -> Sequence[tuple[Shop, Review]]:
        """Return the newest reviews by descending id, so newest first; None means all shops or all states.

        With `before`, only those with a lower id.
        """

    def history(self, review: Review) -> Sequence[ReviewChange]:
        """Return all changes of a review, oldest first, starting with its writing."""

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        """Return each shop's score of the last 12 months (`scores.first_counted`); shops without one are left out."""

    def distribution(self, shop_number: int) -> Distribution:
        """Return how many published reviews a shop has per rating, over all time."""

    def weeks(self, shop_number: int, since: date) -> Mapping[date, Distribution]:
        """Return a shop's published reviews by the Monday of the week of first writing, from the Monday `since` on."""

    def figures(self, shop_number: int) -> Figures:
        """Return a shop's figures as stored."""

    def recount(self, shop_number: int) -> Figures:
        """Return a shop's figures computed from its reviews; reads every one of them."""

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        """Replace a shop's stored figures."""


class Suppressions(Protocol):
    """Addresses to which nothing may be sent."""

    def covers(self, shop_number: int, address_hash: bytes, now: datetime) -> bool:
        """Return whether the address is suppressed for this shop; what has expired does not count."""

    def covered(self, asked: Sequence[tuple[int, bytes]], now: datetime) -> Collection[tuple[int, bytes]]:
        """Return those pairs of a shop's number and an address's hash whose address is suppressed for the shop.

        What has expired does not count.
        """

    def reasons_against(self, asked: Sequence[tuple[int, bytes, bytes]], now: datetime) -> Mapping[int, Reason]:
        """Return why nothing may be sent, by the place in `asked`; those to whom something may are left out.

        `asked` has a shop's number, and the hashes of an address and of its person: the reason is `opted_out` if the
        address is `covered`, else `member` if the person has opened the dashboard as a member of the shop.
        """

    def is_dead(self, address_hash: bytes, now: datetime) -> bool:
        """Return whether the address is suppressed because it has no mailbox."""

    def add(self, suppression: Suppression) -> bool:
        """Store a suppression; return whether there was none.

        An existing one stays as it is, unless `REPLACED_BY` names its origin for that of the new one.
        """

    def remove(
        self, address_hash: bytes, *, shop_number: int | None, by: SuppressedBy | None = None
    ) -> Suppression | None:
        """Remove and return the suppression for one shop, or the one for all shops if `shop_number` is None.

        With `by`, only if that is its origin. One that has expired is removed and returned like any other.
        """

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        """Return all suppressions of an address: the one for all shops first, then by shop."""

    def newest(self, limit: int, now: datetime, before: Bookmark | None = None) -> Sequence[Suppression]:
        """Return up to `limit` suppressions that have not expired, newest first, after the bookmark `before` if given.

        Those of one address at the same microsecond have the same bookmark.
        """

    def sweep(self, now: datetime, limit: int) -> int:
        """Delete up to `limit` suppressions that have expired; return how many."""
