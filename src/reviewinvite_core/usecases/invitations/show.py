"""Show one invitation. Spec: §3, §4.10."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import OPERATOR, Credential, Operator
from reviewinvite_core.domain.errors import InvitationUnknown, KeyRefused, LimitReached
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import InvitationRecord, find_record, with_history

Shown: TypeAlias = InvitationRecord | InvitationUnknown | KeyRefused | LimitReached


@write(locks=credential_locks, only_if=is_charged)
def show_invitation(ctx: UnitContext, caller: Credential | Operator, invite_id: str) -> Shown:
    """Return one invitation with its history; another shop's invitation is unknown to the caller."""
    reader = caller if caller is OPERATOR else admit_reader(ctx, caller)
    if not isinstance(reader, Shop | Operator):
        return reader
    found = find_record(ctx, reader, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    review = ctx.store.reviews.of_invitation(found.shop.number, found.invitation.invite_id)
    record = with_history(ctx, found.invitation, found.shop)
    return attrs.evolve(record, review_id=review.review_id if review else None)
