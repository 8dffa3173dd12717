"""The view of storage inside one open transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from reviewinvite_core.ports.activity import ActivityLog
from reviewinvite_core.ports.api_keys import ApiKeys
from reviewinvite_core.ports.delivery import DeliveryHosts, RelayLog, Workers
from reviewinvite_core.ports.domains import Domains
from reviewinvite_core.ports.invitation_figures import InvitationFigureLog
from reviewinvite_core.ports.invitations import Invitations
from reviewinvite_core.ports.limits import DailyCounters, RateLimitLog, SnippetReports
from reviewinvite_core.ports.members import Members
from reviewinvite_core.ports.notices import Notices
from reviewinvite_core.ports.privacy import Suppressions
from reviewinvite_core.ports.reviews import Reviews
from reviewinvite_core.ports.shops import Shops
from reviewinvite_core.ports.sign_in import Sessions, SignInLinks
from reviewinvite_core.ports.signing_keys import SigningKeys


class Store(Protocol):
    """The view of storage inside one open transaction."""

    @property
    def shops(self) -> Shops:
        """The shops."""

    @property
    def api_keys(self) -> ApiKeys:
        """The API keys."""

    @property
    def members(self) -> Members:
        """The members of shops."""

    @property
    def sign_in_links(self) -> SignInLinks:
        """The links by which members sign in."""

    @property
    def sessions(self) -> Sessions:
        """The sessions of members who are signed in."""

    @property
    def activity(self) -> ActivityLog:
        """The activity logs of shops."""

    @property
    def rate_limit_log(self) -> RateLimitLog:
        """The log of admissions, from which rate limits are computed."""

    @property
    def daily_counters(self) -> DailyCounters:
        """The counters by day."""

    @property
    def snippet_reports(self) -> SnippetReports:
        """The orders that open snippets reported of late."""

    @property
    def domains(self) -> Domains:
        """The hosts that shops claim as theirs."""

    @property
    def signing_keys(self) -> SigningKeys:
        """The keys that sign statements."""

    @property
    def invitations(self) -> Invitations:
        """The invitations."""

    @property
    def invitation_figures(self) -> InvitationFigureLog:
        """The figures about invitations."""

    @property
    def reviews(self) -> Reviews:
        """The reviews."""

    @property
    def notices(self) -> Notices:
        """The notices: mail that is not an invitation."""

    @property
    def suppressions(self) -> Suppressions:
        """The addresses to which nothing may be sent."""

    @property
    def hosts(self) -> DeliveryHosts:
        """The hosts that deliver."""

    @property
    def relay(self) -> RelayLog:
        """What is known about the mail server."""

    @property
    def workers(self) -> Workers:
        """The heartbeats of workers."""

    def now(self) -> datetime | None:
        """Return the time of the clock that all users of this storage share, or None if there is no such clock."""

    def sealed_key_ring(self) -> bytes | None:
        """Return the key ring as stored, or None in a new database."""

    def keep_key_ring(self, sealed: bytes) -> None:
        """Store the key ring, replacing any earlier one."""

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        """Store `after` if the key ring is still stored as `before`; return whether it was replaced."""
