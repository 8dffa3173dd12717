"""Members with their address in clear, for the owners of their shop and for the operator."""

from __future__ import annotations

from datetime import datetime

import attrs

from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member, Role
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class MemberRecord:
    """A member of a shop; `signed_in_at` is the latest sign-in, or None."""

    member_id: str
    email: str = attrs.field(repr=False)
    role: Role
    language: Language
    created_at: datetime
    signed_in_at: datetime | None


def record_of(ctx: UnitContext, member: Member, role: Role) -> MemberRecord:
    """Return a member of a shop with the address in clear."""
    return MemberRecord(
        member_id=member.member_id,
        email=ctx.ring.open_address(member.sealed_address).text,
        role=role,
        language=member.language,
        created_at=member.created_at,
        signed_in_at=member.signed_in_at,
    )
