"""What the service answers, as values. All instants are in UTC.

A state or reason that a later version of the service adds stays a plain string, and a field that it adds is ignored.
"""

from __future__ import annotations

from datetime import datetime

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.reviews import HideReason, ReviewState


@attrs.frozen(kw_only=True)
class ReportedOrder:
    """The invitation of an order that was reported. Spec: §2."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool = False
    """Whether the order was known already: then this is its first invitation."""


@attrs.frozen(kw_only=True)
class Reply:
    """What the shop says to a review, and since when."""

    text: str
    replied_at: datetime


@attrs.frozen(kw_only=True)
class Review:
    """A customer's review. Escape `text` and `author` wherever they are shown. Spec: §4.7."""

    review_id: str
    invite_id: str
    order_number: str | None
    state: ReviewState | str
    """A review that is not `published` must not be shown."""
    hidden_for: HideReason | str | None
    rating: int | None
    text: str | None
    author: str | None
    language: str
    written_at: datetime
    edited_at: datetime | None
    changed_at: datetime
    reply: Reply | None


@attrs.frozen(kw_only=True)
class ReviewPage:
    """Reviews in the order of their last change, the one that changed longest ago first."""

    reviews: tuple[Review, ...]
    cursor: str
    """Where to continue, now or another day."""
    more: bool
    """Whether there is more already."""

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor if self.more else None


@attrs.frozen(kw_only=True)
class Invitation:
    """One invitation to one customer. Spec: §3, §4.9."""

    invite_id: str
    order_number: str | None
    language: str
    state: State | str
    reason: Reason | str
    reported_at: datetime
    scheduled_for: datetime
    changed_at: datetime


@attrs.frozen(kw_only=True)
class Change:
    """One change of an invitation's state."""

    state: State | str
    reason: Reason | str
    at: datetime
    reply: str | None
    """The mail server's status code or the name of the fault, if there is one."""


@attrs.frozen(kw_only=True)
class InvitationRecord(Invitation):
    """An invitation with its history, the oldest change first. Spec: §4.10."""

    history: tuple[Change, ...]


@attrs.frozen(kw_only=True)
class InvitationPage:
    """Invitations, the newest report first."""

    invitations: tuple[Invitation, ...]
    cursor: str | None
    """Where the next page begins, or None on the last one."""

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor
