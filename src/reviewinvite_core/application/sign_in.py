"""`app.sign_in`: sign members in by links, and keep their sessions."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.sign_in import Session
from reviewinvite_core.domain.signed_in import SignedIn
from reviewinvite_core.usecases.sign_in.links import NewSession, SignInOffer, request_link, show_link, use_link
from reviewinvite_core.usecases.sign_in.sessions import (
    end_other_sessions,
    end_session,
    list_sessions,
    note_opened,
    note_seen,
    resume,
    sign_out,
)


class SignIn(Facade):
    """Sign members in by single-use links, and keep their sessions."""

    __slots__ = ()

    def request_link(self, email: str, client: ClientAddress, device: str | None = None) -> None:
        """Mail a sign-in link to the member with this address, if there is one.

        Neither the answer nor the work depends on whether there is. A link that waits is renewed. Without a valid link
        that the mail server took, one is sent, up to 20 an hour, whatever `client` has asked for; with one, no more if
        the address got 5 within an hour, or `client` asked for 30. `device` is the `device_token` of a session that
        began in this browser: if the same member was signed in, 5 an hour are sent whatever others have asked for.

        Raises: `Invalid` if `email` is not an address; `StorageUnavailable`.

        Spec: §10.2.
        """
        self._use_cases.run(request_link, EmailAddress.parse(email), client, device)

    def show_link(self, token: str) -> SignInOffer | None:
        """Return whom a link signs in; None if it is unknown, used or has expired. It changes nothing.

        Raises: `StorageUnavailable`.

        Spec: §10.2.
        """
        return self._use_cases.run(show_link, token)

    def use_link(self, token: str, device: str, previous: str | None = None) -> NewSession | None:
        """Sign in with a link, once; return the new session, or None as `show_link` does.

        `device` describes the person's device in a few words: a notice is mailed if it is a new one. `previous` is the
        secret of the session that the browser had before, if any; that session ends.

        Raises: `StorageUnavailable`.

        Spec: §10.2, §10.3.
        """
        return self._use_cases.run(use_link, token, device, previous)

    def resume(self, secret: str) -> SignedIn | None:
        """Return the member who is signed in with a session's secret, with shops and roles; or None.

        Call this for each request: it sees an ended session, a removed member and a changed role at once.

        Raises: `StorageUnavailable`.

        Spec: §10.3.
        """
        signed_in = self._use_cases.run(resume, secret)
        if signed_in and signed_in.session.has_to_be_noted(signed_in.at):
            self._use_cases.run(note_seen, secret)
        return signed_in

    def note_opened(self, signed_in: SignedIn, site_id: str) -> None:
        """Store that the member has opened the dashboard of a shop, which is done once; another shop is ignored.

        From then on, orders for the member's own address are suppressed at this shop.

        Raises: `StorageUnavailable`.

        Spec: §10.1.
        """
        access = signed_in.access(site_id)
        if access and not access.opened:
            self._use_cases.run(note_opened, signed_in, access.shop_number)

    def sign_out(self, secret: str) -> None:
        """End the session with this secret; an unknown one is ignored.

        Raises: `StorageUnavailable`.

        Spec: §10.3.
        """
        self._use_cases.run(sign_out, secret)

    def list_sessions(self, signed_in: SignedIn) -> Sequence[Session]:
        """List the member's open sessions, the newest sign-in first.

        Raises: `StorageUnavailable`.

        Spec: §10.3.
        """
        return self._use_cases.run(list_sessions, signed_in)

    def end_session(self, signed_in: SignedIn, session_id: str) -> bool:
        """End one of the member's own sessions; return False if it is unknown or has ended.

        Raises: `StorageUnavailable`.

        Spec: §10.3.
        """
        return self._use_cases.run(end_session, signed_in, session_id)

    def end_other_sessions(self, signed_in: SignedIn) -> int:
        """End all of the member's open sessions but this one; return how many.

        Raises: `StorageUnavailable`.

        Spec: §10.3.
        """
        return self._use_cases.run(end_other_sessions, signed_in)


class AsyncSignIn(AsyncFacade):
    """Sign members in by links, and keep their sessions; see `SignIn`."""

    __slots__ = ()

    async def request_link(self, email: str, client: ClientAddress, device: str | None = None) -> None:
        """Mail a sign-in link; see `SignIn.request_link`. Shares a commit with concurrent calls."""
        await self._use_cases.run(request_link, EmailAddress.parse(email), client, device)

    async def show_link(self, token: str) -> SignInOffer | None:
        """Return whom a link signs in; see `SignIn.show_link`. Runs on a reader thread."""
        return await self._use_cases.run(show_link, token)

    async def use_link(self, token: str, device: str, previous: str | None = None) -> NewSession | None:
        """Sign in with a link; see `SignIn.use_link`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(use_link, token, device, previous)

    async def resume(self, secret: str) -> SignedIn | None:
        """Return who is signed in; see `SignIn.resume`. Runs on a reader thread, and at times shares a commit."""
        signed_in = await self._use_cases.run(resume, secret)
        if signed_in and signed_in.session.has_to_be_noted(signed_in.at):
            await self._use_cases.run(note_seen, secret)
        return signed_in

    async def note_opened(self, signed_in: SignedIn, site_id: str) -> None:
        """Store that a shop's dashboard was opened; see `SignIn.note_opened`. Shares a commit with concurrent calls."""
        access = signed_in.access(site_id)
        if access and not access.opened:
            await self._use_cases.run(note_opened, signed_in, access.shop_number)

    async def sign_out(self, secret: str) -> None:
        """End a session; see `SignIn.sign_out`. Shares a commit with concurrent calls."""
        await self._use_cases.run(sign_out, secret)

    async def list_sessions(self, signed_in: SignedIn) -> Sequence[Session]:
        """List the member's open sessions; see `SignIn.list_sessions`. Runs on a reader thread."""
        return await self._use_cases.run(list_sessions, signed_in)

    async def end_session(self, signed_in: SignedIn, session_id: str) -> bool:
        """End one of the member's sessions; see `SignIn.end_session`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(end_session, signed_in, session_id)

    async def end_other_sessions(self, signed_in: SignedIn) -> int:
        """End the member's other sessions; see `SignIn.end_other_sessions`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(end_other_sessions, signed_in)
