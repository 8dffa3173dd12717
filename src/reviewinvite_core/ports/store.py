"""What one open transaction sees and changes."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from reviewinvite_core.ports.api_keys import ApiKeys
from reviewinvite_core.ports.delivery import DeliveryHosts
from reviewinvite_core.ports.domains import Domains
from reviewinvite_core.ports.invitations import Invitations
from reviewinvite_core.ports.limits import DailyCounters, RateLimitLog
from reviewinvite_core.ports.privacy import Suppressions
from reviewinvite_core.ports.reviews import Reviews
from reviewinvite_core.ports.shops import Shops
from reviewinvite_core.ports.signing_keys import SigningKeys


class Store(Protocol):
    """What one open transaction sees and changes."""

    @property
    def shops(self) -> Shops:
        """The shops."""

    @property
    def api_keys(self) -> ApiKeys:
        """The API keys."""

    @property
    def rate_limit_log(self) -> RateLimitLog:
        """What limits count."""

    @property
    def daily_counters(self) -> DailyCounters:
        """What is counted by the day."""

    @property
    def domains(self) -> Domains:
        """The hosts that shops say are theirs."""

    @property
    def signing_keys(self) -> SigningKeys:
        """The keys that statements are signed with."""

    @property
    def invitations(self) -> Invitations:
        """The invitations."""

    @property
    def reviews(self) -> Reviews:
        """The reviews."""

    @property
    def suppressions(self) -> Suppressions:
        """The addresses that must not be written to."""

    @property
    def hosts(self) -> DeliveryHosts:
        """The hosts that deliver."""

    def now(self) -> datetime | None:
        """The instant by the clock that all machines over this storage share; None if there is no such clock."""

    def sealed_key_ring(self) -> bytes | None:
        """The key ring as it was stored, or None in a new database."""

    def keep_key_ring(self, sealed: bytes) -> None:
        """Store the key ring, in the place of any before it."""

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        """Store `after`, if the key ring is stored as `before` still; whether it was."""
