"""Queue the mail of signing in: links, and notices of new devices. Spec: §6, §10.2, §10.6."""

from __future__ import annotations

from datetime import timedelta

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import NewNotice, NoticeKind
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import VALID_FOR, Session
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import queue_notice
from reviewinvite_core.usecases.sign_in.links import NewLink

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
