"""Mail a sign-in link to whoever asks for one, if that person is a member. Spec: §10.2, ADR-68.

Neither the answer nor the work tells whether the address is a member's: the same statements run whoever asks. A link
and a notice are stored in any case; those to nobody have expired already.
"""

from __future__ import annotations

import hashlib

import attrs

from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.identifiers import id_text
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sign_in import (
    HOUR,
    LINKS_PER_CLIENT,
    SECRET_BYTES,
    VALID_FOR,
    LinkKind,
    SignInLink,
    SignInSecret,
    admits_another,
    device_hash_in,
)
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import notice_of
from reviewinvite_core.usecases.sign_in.links import NewLink, link_url
from reviewinvite_core.usecases.sign_in.mail import link_mail

MOST_TRIES = 4
_VALID_FOR = VALID_FOR[LinkKind.REQUESTED]


def request_locks(email: EmailAddress, client: ClientAddress, *_: object) -> frozenset[int]:
    """Return the locks of the two limits: of the address, and of the client."""
    return frozenset({lock_id(LockKind.MEMBER, email.identity), client.lock})


@write(locks=request_locks)
def request_link(ctx: UnitContext, email: EmailAddress, client: ClientAddress, device: str | None = None) -> None:
    """Mail a link to a member with this address, unless the limits forbid it; renew one that waits already.

    Without a valid link in the mailbox one is sent, whoever has asked before: so nobody can lock a member out.
    """
    client_hash = client.hash(ctx.ring.address)
    window = {"after": ctx.now - LINKS_PER_CLIENT.window, "until": ctx.now + LINKS_PER_CLIENT.window}
    by_client = ctx.store.sign_in_links.count_of_client(client_hash, **window)
    found = ctx.store.members.by_address(address_hash(ctx.ring.address, email))
    session = ctx.store.sessions.find(device_hash_in(device))
    member = found if found and found.left_at is None else None
    is_known = session and member and session.member_id == member.member_id and session.is_known_device(ctx.now)
    request = _Request(client_hash, by_client, session.hash if session and is_known else None)
    for _ in range(MOST_TRIES):  # only while a worker ends the delivery of a link that was read as waiting
        if _answer(ctx, member, request):
            return


@attrs.frozen
class _Request:
    """Where a request comes from: the client, how many links it asked for, and the session that its browser had."""

    client_hash: bytes
    by_client: int
    device_hash: bytes | None


def _answer(ctx: UnitContext, member: Member | None, request: _Request) -> bool:
    """Renew the link that waits, or store a new one with its notice, or ones to nobody, which only count.

    Return False if the link waits no longer.
    """
    until = ctx.now + HOUR  # later ones are from before the clock was set back
    member_id = member.member_id if member else None
    asked = ctx.store.sign_in_links.asked_for(member_id, after=ctx.now - HOUR - _VALID_FOR, until=until)
    waiting = next((each.link for each in asked if each.is_waiting(ctx.now)), None)
    is_sent = admits_another(asked, ctx.now, by_client=request.by_client, device_hash=request.device_hash)
    to = member if waiting or is_sent else None
    link, notice = _new(ctx, to, request)
    if waiting:
        link = attrs.evolve(link, hash=waiting.hash)
        notice = attrs.evolve(notice, message_id=waiting.message_id or notice.message_id)
    elif to is None and request.by_client >= LINKS_PER_CLIENT.count:
        # One row for all that is not sent: whoever asks endlessly, in vain, fills no table.
        link = attrs.evolve(link, hash=hashlib.sha256(request.client_hash).digest())
        notice = attrs.evolve(notice, message_id=id_text(request.client_hash))
    ctx.store.sign_in_links.put(link)
    is_stored = ctx.store.notices.add_or_renew(notice)
    return is_stored or to is None


def _new(ctx: UnitContext, member: Member | None, request: _Request) -> tuple[SignInLink, Notice]:
    """Return a new link and its notice; those to nobody have expired."""
    secret = SignInSecret.make(ctx.entropy.draw(SECRET_BYTES))
    link = SignInLink(
        hash=secret.hash,
        kind=LinkKind.REQUESTED,
        member_id=member.member_id if member else None,
        client_hash=request.client_hash,
        device_hash=request.device_hash,
        made_at=ctx.now,
        expires_at=ctx.now + _VALID_FOR if member else ctx.now,
    )
    notice = notice_of(ctx, link_mail(ctx, member, NewLink(link, link_url(ctx, secret))))
    if member is None:
        notice = notice.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
    return attrs.evolve(link, message_id=notice.message_id), notice
