"""Queue a notice in the unit of work that causes it, or erase it. `usecases.delivery` delivers it. Spec: §6, ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import NewNotice, Notice, NoticeContent
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


def _no_lock(_new: NewNotice) -> frozenset[int]:
    """Return no lock: nothing else knows of a new notice."""
    return frozenset()


@write(locks=_no_lock)
def queue_notice(ctx: UnitContext, new: NewNotice) -> Notice:
    """Store a notice to be sent at once, ahead of invitations; return it.

    It is sent only if the unit of work is committed.
    """
    notice = notice_of(ctx, new)
    ctx.store.notices.add(notice)
    return notice


def notice_of(ctx: UnitContext, new: NewNotice) -> Notice:
    """Return a notice to be sent at once, which is not stored yet."""
    content = NoticeContent(recipient=new.recipient, values=new.values)
    return Notice(
        message_id=uuid7(ctx.now, ctx.entropy.draw(10)),
        kind=new.kind,
        language=new.language,
        address_hash=address_hash(ctx.ring.address, new.recipient),
        sealed=content.seal(ctx.ring, ctx.entropy.draw(NONCE_BYTES)),
        queued_at=ctx.now,
        expires_at=new.expires_at,
        due_at=ctx.now,
        changed_at=ctx.now,
        shop_number=new.shop_number,
    )


def erase_notice(ctx: UnitContext, notice: Notice) -> bool:
    """Cancel a notice that waits and remove its content; return whether it had any."""
    if notice.can_move(State.CANCELLED, Reason.ERASED):
        ctx.store.notices.change(notice, notice.moved(State.CANCELLED, Reason.ERASED, ctx.now))
        return notice.sealed is not None
    return ctx.store.notices.forget_content(notice.message_id)
