"""Resume and end the sessions of members. Spec: §10.2."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.orders import person_hash
from reviewinvite_core.domain.sign_in import HOUR, Session, SignInSecret
from reviewinvite_core.domain.signed_in import MemberIdentity, ShopAccess, SignedIn
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext


@read
def resume(ctx: UnitContext, presented: str) -> SignedIn | None:
    """Return the member who is signed in with this secret, with the shops and roles of this moment, or None.

    A removed member, a changed role and an ended session count from the next request on, in every process.
    """
    session = _open_session(ctx, presented)
    if session is None:
        return None
    member = ctx.store.members.by_ids([session.member_id])[session.member_id]
    if member.left_at is not None:
        return None
    shops = [
        ShopAccess(
            shop_number=shop.number,
            site_id=shop.site_id,
            name=shop.name,
            active=shop.active,
            role=membership.role,
            opened=membership.opened_as is not None,
        )
        for shop, membership in ctx.store.members.shops_of(member.member_id)
    ]
    return SignedIn(
        member=MemberIdentity(
            member_id=member.member_id,
            email=ctx.ring.open_address(member.sealed_address).text,
            language=member.language,
        ),
        session=session,
        shops=shops,
        at=ctx.now,
        is_first_hour=ctx.now - session.signed_in_at < HOUR
        and len(ctx.store.sessions.of_member(member.member_id)) == 1,
    )


@write(locks=lambda *_: frozenset())
def note_seen(ctx: UnitContext, presented: str) -> None:
    """Store that a session is in use, unless that was done within the last 5 minutes."""
    session = _open_session(ctx, presented)
    if session and session.has_to_be_noted(ctx.now):
        ctx.store.sessions.note_seen(session.hash, ctx.now)


@write(locks=lambda *_: frozenset())
def note_opened(ctx: UnitContext, signed_in: SignedIn, shop_number: int) -> None:
    """Store that a member has opened the shop's dashboard, unless it is known. Spec: §10.1."""
    person = person_hash(ctx.ring.address, EmailAddress(signed_in.member.email))
    ctx.store.members.open(shop_number, signed_in.member.member_id, person)


def _open_session(ctx: UnitContext, presented: str) -> Session | None:
    secret = SignInSecret.parse(presented)
    session = ctx.store.sessions.find(secret.hash) if secret else None
    return session if session and session.is_open(ctx.now) else None


@read
def list_sessions(ctx: UnitContext, signed_in: SignedIn) -> Sequence[Session]:
    """Return the member's sessions that are open, the newest sign-in first."""
    return [each for each in ctx.store.sessions.of_member(signed_in.member.member_id) if each.is_open(ctx.now)]


@write(locks=lambda *_: frozenset())
def end_session(ctx: UnitContext, signed_in: SignedIn, session_id: str) -> bool:
    """End one of the member's own sessions, from its next request on; return False if it is unknown or has ended."""
    own = ctx.store.sessions.of_member(signed_in.member.member_id)
    found = next((each for each in own if each.session_id == session_id and each.is_open(ctx.now)), None)
    return found is not None and ctx.store.sessions.end(found.hash, ctx.now)


@write(locks=lambda *_: frozenset())
def end_other_sessions(ctx: UnitContext, signed_in: SignedIn) -> int:
    """End all open sessions of the member but this one, from their next request on; return how many."""
    own = ctx.store.sessions.of_member(signed_in.member.member_id)
    others = [each.hash for each in own if each.hash != signed_in.session.hash and each.is_open(ctx.now)]
    return sum(ctx.store.sessions.end(each, ctx.now) for each in others)


@write(locks=lambda *_: frozenset())
def sign_out(ctx: UnitContext, presented: str) -> None:
    """End the session with this secret; an unknown one is ignored."""
    secret = SignInSecret.parse(presented)
    if secret:
        ctx.store.sessions.end(secret.hash, ctx.now)


def void_sign_ins(ctx: UnitContext) -> None:
    """End all sessions and withdraw all links: some may have been ended or used since the copy was made."""
    ctx.store.sessions.end_everyones(ctx.now)
    ctx.store.sign_in_links.withdraw_everyones()
