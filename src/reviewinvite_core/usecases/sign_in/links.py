"""Mail the links by which members sign in, and use them. Spec: §10.2, ADR-68.

Neither the answer nor the work tells whether an address is a member's: the same statements run whoever asks. A link
and a message are stored in any case; those to nobody have expired already.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

import attrs

from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.identifiers import id_text
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.limits import HOUR
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import NewNotice, Notice, NoticeKind
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import (
    LINKS_PER_CLIENT,
    SECRET_BYTES,
    VALID_FOR,
    LinkKind,
    Session,
    SignInLink,
    SignInSecret,
    admits_another,
    device_hash_in,
    to_device,
)
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import notice_of, queue_notice


@attrs.frozen
class NewLink:
    """A new sign-in link, and its address, which is in no storage."""

    link: SignInLink
    url: str = attrs.field(repr=False)


def make_link(ctx: UnitContext, member: Member, kind: LinkKind) -> NewLink:
    """Store a new sign-in link that nobody asked for at the sign-in page, and return it."""
    secret = SignInSecret.make(ctx.entropy.draw(SECRET_BYTES))
    link = SignInLink(
        hash=secret.hash, kind=kind, member_id=member.member_id, made_at=ctx.now, expires_at=ctx.now + VALID_FOR[kind]
    )
    ctx.store.sign_in_links.put(link)
    return NewLink(link, link_url(ctx, secret))


def link_url(ctx: UnitContext, secret: SignInSecret) -> str:
    """Return the address of the link with this secret."""
    return f"{ctx.policies.dashboard_url}/dashboard/sign-in/{secret.text}"


def open_link(ctx: UnitContext, secret: SignInSecret) -> tuple[SignInLink, Member] | None:
    """Return a link that can still be used, and whom it signs in; or None."""
    link = ctx.store.sign_in_links.find(secret.hash)
    if link is None or link.member_id is None:
        return None
    member = ctx.store.members.by_ids([link.member_id]).get(link.member_id)
    if member is None or not link.is_open(ctx.now, signed_in_before=member.signed_in_at is not None):
        return None
    return link, member


NOTICE_VALID_FOR = timedelta(days=3)

_HOUR = timedelta(hours=1)
_NOBODY = EmailAddress("nobody@service.invalid")


def mail_link(ctx: UnitContext, member: Member, new: NewLink, *, welcome_to: Shop | None = None) -> None:
    """Queue a sign-in link to its member, until it expires."""
    queue_notice(ctx, link_mail(ctx, member, new, welcome_to=welcome_to))


def link_mail(ctx: UnitContext, member: Member | None, new: NewLink, *, welcome_to: Shop | None = None) -> NewNotice:
    """Return the e-mail with a sign-in link; one to nobody is as much work."""
    valid = VALID_FOR[new.link.kind]
    span = {"hours": str(valid // _HOUR)} if valid >= _HOUR else {"minutes": str(valid // timedelta(minutes=1))}
    shop = {"shop": welcome_to.name} if welcome_to else {}
    return NewNotice(
        kind=NoticeKind.SIGN_IN_LINK,
        recipient=ctx.ring.open_address(member.sealed_address) if member else _NOBODY,
        language=member.language if member else Language.NL,
        values={"link": new.url, **span, **shop},
        expires_at=new.link.expires_at,
        shop_number=welcome_to.number if welcome_to else None,
    )


def mail_new_device(ctx: UnitContext, member: Member, session: Session) -> None:
    """Queue a notice to a member of a sign-in on a device that was not known."""
    queue_notice(
        ctx,
        NewNotice(
            kind=NoticeKind.NEW_DEVICE,
            recipient=ctx.ring.open_address(member.sealed_address),
            language=member.language,
            values={
                "device": session.device,
                "when": ctx.now.isoformat(),
                "sessions_link": f"{ctx.policies.dashboard_url}/dashboard/sessions",
            },
            expires_at=ctx.now + NOTICE_VALID_FOR,
        ),
    )


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


@attrs.frozen(kw_only=True)
class SignInOffer:
    """Whom a link signs in."""

    email: str = attrs.field(repr=False)
    language: Language


@read
def show_link(ctx: UnitContext, token: str) -> SignInOffer | None:
    """Return whom the link signs in, or None if it is unknown, used, withdrawn or has expired."""
    secret = SignInSecret.parse(token)
    found = open_link(ctx, secret) if secret else None
    if found is None:
        return None
    _, member = found
    return SignInOffer(email=ctx.ring.open_address(member.sealed_address).text, language=member.language)


@attrs.frozen(kw_only=True)
class NewSession:
    """A new session and its secret, which cannot be read from storage."""

    secret: SignInSecret
    session: Session


def link_locks(token: str, *_: object) -> frozenset[int]:
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=link_locks)
def use_link(ctx: UnitContext, token: str, device: str, previous: str | None = None) -> NewSession | None:
    """Begin a session with a new secret, and end `previous`, the one that the browser had; return None as `show_link`.

    Of two uses at the same time, one begins a session.
    """
    secret = SignInSecret.parse(token)
    found = open_link(ctx, secret) if secret else None
    if found is None or not ctx.store.sign_in_links.use(found[0].hash, ctx.now):
        return None
    _, member = found
    ctx.store.members.change(attrs.evolve(member, signed_in_at=ctx.now))
    replaced = SignInSecret.parse(previous) if previous else None
    if replaced:
        ctx.store.sessions.end(replaced.hash, ctx.now)
    opened = SignInSecret.make(ctx.entropy.draw(SECRET_BYTES))
    session = Session(
        hash=opened.hash,
        member_id=member.member_id,
        signed_in_at=ctx.now,
        last_seen_at=ctx.now,
        device=to_device(device),
    )
    if all(each.device != session.device for each in ctx.store.sessions.of_member(member.member_id)):
        mail_new_device(ctx, member, session)
    ctx.store.sessions.add(session)
    return NewSession(secret=opened, session=session)
