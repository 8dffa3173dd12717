"""A member's browser: what a person does in the dashboard, however this is reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum

import attrs


class Outcome(Enum):
    """What became of something that a member did."""

    DONE = "done"
    ROLE_REFUSED = "the role does not allow it"
    SIGN_IN_TOO_OLD = "it needs a new sign-in"
    SHOP_UNKNOWN = "there is no such shop, as far as the member knows"
    UNKNOWN = "the shop has nothing with this id"
    LAST_OWNER = "a shop keeps its last owner"
    LIMIT_REACHED = "it was done too often"


@attrs.frozen
class ListedSession:
    """A session in a member's list."""

    session_id: str
    device: str


class MemberBrowser(ABC):
    """One browser, in which one person is signed in at most; `device` is how it names itself."""

    def __init__(self, device: str) -> None:
        self.device = device

    # --- signing in -------------------------------------------------------------------------------------------------

    @abstractmethod
    def ask_for_link(self, email: str, address: str) -> str:
        """Ask for a sign-in link from this IP address; return what the page then says."""

    @abstractmethod
    def open_link(self, link: str) -> str | None:
        """Open a sign-in link; return the address that it offers to sign in, or None if the link does not work."""

    @abstractmethod
    def press_button(self, link: str) -> bool:
        """Press the button of a sign-in link; return whether that signed somebody in."""

    @abstractmethod
    def roles(self) -> Mapping[str, str] | None:
        """Open the dashboard; return the role at each shop by site id, or None if nobody is signed in."""

    @abstractmethod
    def sessions(self) -> Sequence[ListedSession]:
        """Return the list of the member's sessions."""

    @abstractmethod
    def end_session(self, session_id: str) -> None:
        """Try to end a session."""

    @abstractmethod
    def end_other_sessions(self) -> None:
        """End all sessions but the one in this browser."""

    @abstractmethod
    def sign_out(self) -> None:
        """Sign out."""

    # --- at a shop --------------------------------------------------------------------------------------------------

    @abstractmethod
    def open_shop(self, shop: str) -> None:
        """Open the first page of the shop."""

    @abstractmethod
    def cancel(self, shop: str, invite_id: str) -> Outcome:
        """Cancel an invitation."""

    @abstractmethod
    def set_delay(self, shop: str, days: int) -> Outcome:
        """Set the shop's default delay."""

    @abstractmethod
    def rename(self, shop: str, name: str) -> Outcome:
        """Give the shop another name."""

    @abstractmethod
    def set_reply_to(self, shop: str, reply_to: str) -> Outcome:
        """Give the shop another address for replies."""

    @abstractmethod
    def withdraw_name(self, shop: str) -> Outcome:
        """Withdraw the name that waits for approval."""

    @abstractmethod
    def make_key(self, shop: str) -> Outcome:
        """Create an API key."""

    @abstractmethod
    def revoke_key(self, shop: str) -> Outcome:
        """Revoke an API key of the shop."""

    @abstractmethod
    def add_member(self, shop: str, email: str, role: str) -> Outcome:
        """Make a person a member."""

    @abstractmethod
    def change_role(self, shop: str, email: str, role: str) -> Outcome:
        """Change the role of a member."""

    @abstractmethod
    def remove_member(self, shop: str, email: str) -> Outcome:
        """Remove a member."""
