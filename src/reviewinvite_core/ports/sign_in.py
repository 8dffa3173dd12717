"""Storage of sign-in links and sessions: hashes of their secrets only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.sign_in import MailedLink, Session, SignInLink


class SignInLinks(Protocol):
    """Single-use links by which members sign in."""

    def put(self, link: SignInLink) -> None:
        """Store a new link; of one with this hash, change only the two instants."""

    def find(self, link_hash: bytes) -> SignInLink | None:
        """Return the link with this hash, used or not, or None."""

    def use(self, link_hash: bytes, at: datetime) -> bool:
        """Mark a link as used; return False if it is unknown or was used before."""

    def asked_for(self, member_id: str | None, after: datetime, until: datetime) -> Sequence[MailedLink]:
        """Return the links that a member asked for after one instant and up to another, with their e-mails' states.

        For None, and for links without an e-mail, that is nothing. The first one asked for comes first.
        """

    def count_of_client(self, client_hash: bytes, after: datetime, until: datetime) -> int:
        """Return how many links a client asked for after one instant and up to another."""

    def withdraw(self, member_id: str) -> int:
        """Delete a member's links; return how many."""

    def withdraw_everyones(self) -> int:
        """Delete all links; return how many."""

    def sweep(self, expired_before: datetime, limit: int) -> int:
        """Delete up to `limit` links that expired before this instant; return how many."""


class Sessions(Protocol):
    """Sessions of members, also those that ended: they tell which devices are known."""

    def add(self, session: Session) -> None:
        """Store a new session."""

    def find(self, session_hash: bytes) -> Session | None:
        """Return the session with this hash, or None."""

    def of_member(self, member_id: str) -> Sequence[Session]:
        """Return a member's sessions, the newest sign-in first."""

    def note_seen(self, session_hash: bytes, at: datetime) -> None:
        """Store that a session was used at this instant."""

    def end(self, session_hash: bytes, at: datetime) -> bool:
        """Mark a session as ended; return False if it is unknown or was ended before."""

    def remove_all(self, member_id: str) -> int:
        """Delete all sessions of a member, so that none of the browsers is known any more; return how many."""

    def end_everyones(self, at: datetime) -> int:
        """Mark all sessions as ended; return how many were not."""

    def sweep(self, signed_in_before: datetime, limit: int) -> int:
        """Delete up to `limit` sessions that began before this instant; return how many."""
