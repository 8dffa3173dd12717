"""Claim notices that are due, so that other workers do not take them before the lease ends. Spec: §6, ADR-57."""

from __future__ import annotations

from collections.abc import Iterator

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice, NoticeContent
from reviewinvite_core.domain.sealing import ContentDecryptionError
from reviewinvite_core.domain.workers import TOKEN_BYTES
from reviewinvite_core.ports import NoticeLetter
from reviewinvite_core.usecases.context import UnitContext


def is_notice_due(ctx: UnitContext) -> bool:
    """Return whether any notice waits to be claimed."""
    return ctx.store.notices.is_any_due(ctx.now)


def new_token(ctx: UnitContext, worker: bytes) -> bytes:
    """Return a new token of a claim, which begins with the worker's id (ADR-70)."""
    return worker + ctx.entropy.draw(TOKEN_BYTES - len(worker))


def claim_notices(ctx: UnitContext, most: int, worker: bytes = b"") -> Iterator[tuple[Notice, NoticeLetter | None]]:
    """Claim notices until the lease ends; yield each with its letter, or None if its content is gone or unreadable.

    No other unit gets the same notices meanwhile, so this needs no lock.
    """
    for due in ctx.store.notices.due(ctx.now, most):
        claim = Claim(token=new_token(ctx, worker), lease_until=ctx.now + ctx.policies.lease)
        claimed = due.moved(State.CLAIMED, Reason.CLAIMED, ctx.now, claim=claim)
        if ctx.store.notices.change(due, claimed):
            yield claimed, _letter(ctx, claimed)


def _letter(ctx: UnitContext, notice: Notice) -> NoticeLetter | None:
    if notice.sealed is None:
        return None
    try:
        content = NoticeContent.open(ctx.ring, notice.sealed)
    except ContentDecryptionError:
        return None
    return NoticeLetter(
        message_id=notice.message_id,
        kind=notice.kind,
        recipient=content.recipient.text,
        language=notice.language,
        values=content.values,
        written_at=ctx.now,
    )
