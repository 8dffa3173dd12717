"""Recognise a member by a session. Spec: §10.3."""

from __future__ import annotations

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.limits import HOUR
from reviewinvite_core.domain.orders import person_hash
from reviewinvite_core.domain.sign_in import Session, SignInSecret
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
