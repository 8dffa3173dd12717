"""Members of a shop, and what is mailed to them, for tests."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import attrs

from reviewinvite_core import Application, ClientAddress, NewMember, Role, accepted
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.notices import Notice, NoticeContent, NoticeKind
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.values import NewSession, SignedIn

SITE = "bakkerij-1"
OWNER, STAFF = "owner@example.com", "staff@example.com"
CLIENT = ClientAddress.of(ip_address("192.0.2.1"))
DEVICE = "Firefox on Linux"


@attrs.frozen(kw_only=True)
class Mail:
    """A queued message, opened."""

    kind: NoticeKind
    recipient: str
    values: dict[str, str]
    message: Notice

    @property
    def token(self) -> str:
        """The token of its sign-in link."""
        return token_of(self.values["link"])


@read
def _queued(ctx: UnitContext, email: str) -> list[Mail]:
    messages = ctx.store.notices.of_address(address_hash(ctx.ring.address, EmailAddress.parse(email)))
    opened = [(each, NoticeContent.open(ctx.ring, each.sealed)) for each in messages if each.sealed]
    return [
        Mail(kind=each.kind, recipient=content.recipient.text, values=dict(content.values), message=each)
        for each, content in opened
    ]


def mails_to(app: Application, email: str, kind: NoticeKind | None = None) -> list[Mail]:
    """Return what waits to be mailed to an address, oldest first."""
    return [each for each in app._use_cases.run(_queued, email) if kind in (None, each.kind)]


def links_to(app: Application, email: str) -> list[str]:
    """Return the tokens of all sign-in links that wait to be mailed to an address, oldest first."""
    return [each.token for each in mails_to(app, email, NoticeKind.SIGN_IN_LINK)]


def token_of(link: str) -> str:
    """Return the token of a sign-in link."""
    return link.rpartition("/")[2]


def add_member(
    app: Application, email: str = OWNER, *, site_id: str = SITE, role: Role = Role.OWNER, **new: Any
) -> str:
    """Make a person a member, as the operator does, and return the token of the link."""
    link = accepted(app.members.add(site_id, NewMember(email=email, role=role, **new))).link
    assert link is not None
    return token_of(link)


def member_id_of(app: Application, email: str, site_id: str = SITE) -> str:
    """Return the id of a shop's member."""
    [found] = [each.member_id for each in accepted(app.members.list(site_id)) if each.email == email]
    return found


def signed_in_as(app: Application, email: str = OWNER, *, site_id: str = SITE, device: str = DEVICE) -> NewSession:
    """Sign a member in by a new link of the operator's."""
    new = app.sign_in.use_link(token_of(accepted(app.members.link(site_id, email)).link), device)
    assert new is not None
    return new


def resumed(app: Application, session: NewSession) -> SignedIn:
    """Return who is signed in; fail the test if the session has ended."""
    signed_in = app.sign_in.resume(session.secret.text)
    assert signed_in is not None
    return signed_in
