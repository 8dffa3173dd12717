"""Make sign-in links. Spec: §10.2."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.sign_in import SECRET_BYTES, VALID_FOR, LinkKind, SignInLink, SignInSecret
from reviewinvite_core.usecases.context import UnitContext


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
