"""Results of calls. All instants are in UTC.

States and reasons added in later versions of the service stay plain strings, and added fields are ignored.
"""

from __future__ import annotations

from datetime import datetime

import attrs

from reviewinvite_core.domain.badge import Size, Theme
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationStatus
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.trust_mark import TrustMark


@attrs.frozen(kw_only=True)
class ReportedOrder:
    """The invitation of a reported order. Spec: §2."""

    invite_id: str
    scheduled_for: datetime
    duplicate: bool = False
    """Whether the order had been reported before; if so, this is the invitation of the first report."""


@attrs.frozen(kw_only=True)
class Reply:
    """The shop's reply to a review, and when it was written."""

    text: str
    replied_at: datetime


@attrs.frozen(kw_only=True)
class Review:
    """A customer's review. Escape `text` and `author` wherever they are shown. Spec: §4.7."""

    review_id: str
    invite_id: str
    order_number: str | None
    source: Source | str
    """Where the order was first reported."""
    confirmed: bool
    """Whether the order was confirmed when the review was first written."""
    state: ReviewState | str
    """Do not show a review unless it is `published`."""
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
    """Reviews in the order of their last change, the least recent first."""

    reviews: tuple[Review, ...]
    cursor: str
    """Cursor of the next page; store it to continue now or later."""
    more: bool
    """Whether more reviews are available now."""

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor if self.more else None


@attrs.frozen(kw_only=True)
class Invitation:
    """One invitation to one customer. Spec: §3, §4.9."""

    invite_id: str
    order_number: str | None
    source: Source | str
    """Where the order was first reported."""
    confirmed: bool
    """Whether anything but an open snippet has reported the order."""
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
    """The mail server's status code or the name of the error, if there is one."""


@attrs.frozen(kw_only=True)
class InvitationRecord(Invitation):
    """An invitation with its history, the oldest change first. Spec: §4.10."""

    history: tuple[Change, ...]


@attrs.frozen(kw_only=True)
class InvitationPage:
    """Invitations, the most recently reported first."""

    invitations: tuple[Invitation, ...]
    cursor: str | None
    """Cursor of the next page, or None on the last page."""

    @property
    def more(self) -> bool:
        """Whether more invitations are available now."""
        return self.cursor is not None

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor


@attrs.frozen(kw_only=True)
class Shop:
    """The shop and its settings. Spec: §4.13."""

    site_id: str
    name: str
    active: bool
    language: str
    delay_days: float
    frequency_days: int
    """One address is invited at most once in this many days; 0 means once for each order."""
    trust_mark: TrustMark | str
    snippet: SnippetMode | str = SnippetMode.OPEN
    """Which orders are accepted from web pages; services of earlier releases accept all, and do not say so."""


@attrs.frozen(kw_only=True)
class Badge:
    """Appearance of the badge. Spec: §4.14."""

    theme: Theme | str
    size: Size | str
    language: str | None = None
    """None means the shop's language."""


@attrs.frozen(kw_only=True)
class Domain:
    """A host of the shop, with the proof to publish. Spec: §4.15."""

    host: str
    standing: VerificationStatus | str
    verified: bool
    txt_name: str
    """Name of the TXT record that may hold the proof."""
    file_url: str
    """Address of the file that may hold the proof, as a line of its own."""
    proof: str
    added_at: datetime
    verified_at: datetime | None
    checked_at: datetime | None
    missing_since: datetime | None
    lost_at: datetime | None


@attrs.frozen(kw_only=True)
class DomainList:
    """All hosts of the shop, sorted by name."""

    domains: tuple[Domain, ...]


@attrs.frozen(kw_only=True)
class ProofAbsence:
    """Why one way of proving a host found no proof."""

    way: ProofWay | str
    reason: FailureReason | str


@attrs.frozen(kw_only=True)
class DomainCheck(Domain):
    """A host after a check of its proof. Spec: §4.16."""

    found: ProofWay | str | None
    """The way by which the proof was found, or None."""
    absences: tuple[ProofAbsence, ...]
