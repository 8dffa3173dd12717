"""Queue a message, in the unit of work that causes it. Spec: §6, ADR-57."""

from __future__ import annotations

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.messages import MessageContent, NewMessage, ServiceMessage
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext


def _no_lock(_new: NewMessage) -> frozenset[int]:
    """Return no lock: nothing else knows of a new message."""
    return frozenset()


@write(locks=_no_lock)
def queue_message(ctx: UnitContext, new: NewMessage) -> ServiceMessage:
    """Store a message to be sent at once, ahead of invitations; return it.

    It is sent only if the unit of work is committed.
    """
    message = message_of(ctx, new)
    ctx.store.messages.add(message)
    return message


def message_of(ctx: UnitContext, new: NewMessage) -> ServiceMessage:
    """Return a message to be sent at once, which is not stored yet."""
    content = MessageContent(recipient=new.recipient, values=new.values)
    return ServiceMessage(
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
