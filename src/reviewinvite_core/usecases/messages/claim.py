"""Claim messages that are due, so that other workers do not take them before the lease ends. Spec: §6, ADR-57."""

from __future__ import annotations

from collections.abc import Iterator

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Claim
from reviewinvite_core.domain.messages import MessageContent, ServiceMessage
from reviewinvite_core.domain.sealing import ContentDecryptionError
from reviewinvite_core.domain.workers import TOKEN_BYTES
from reviewinvite_core.ports import ServiceLetter
from reviewinvite_core.usecases.context import UnitContext


def is_message_due(ctx: UnitContext) -> bool:
    """Return whether any message waits to be claimed."""
    return ctx.store.messages.is_any_due(ctx.now)


def new_token(ctx: UnitContext, worker: bytes) -> bytes:
    """Return a new token of a claim, which begins with the worker's id (ADR-70)."""
    return worker + ctx.entropy.draw(TOKEN_BYTES - len(worker))


def claim_messages(
    ctx: UnitContext, most: int, worker: bytes = b""
) -> Iterator[tuple[ServiceMessage, ServiceLetter | None]]:
    """Claim messages until the lease ends; yield each with its letter, or None if its content is gone or unreadable.

    No other unit gets the same messages meanwhile, so this needs no lock.
    """
    for due in ctx.store.messages.due(ctx.now, most):
        claim = Claim(token=new_token(ctx, worker), lease_until=ctx.now + ctx.policies.lease)
        claimed = due.moved(State.CLAIMED, Reason.CLAIMED, ctx.now, claim=claim)
        if ctx.store.messages.change(due, claimed):
            yield claimed, _letter(ctx, claimed)


def _letter(ctx: UnitContext, message: ServiceMessage) -> ServiceLetter | None:
    if message.sealed is None:
        return None
    try:
        content = MessageContent.open(ctx.ring, message.sealed)
    except ContentDecryptionError:
        return None
    return ServiceLetter(
        message_id=message.message_id,
        kind=message.kind,
        recipient=content.recipient.text,
        language=message.language,
        values=content.values,
        written_at=ctx.now,
    )
