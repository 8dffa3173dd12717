"""Revoke a shop's trust mark. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.trust_marks.change import TrustMarkChange, change_trust_mark


@write()
def revoke_trust_mark(ctx: UnitContext, site_id: str) -> TrustMarkChange:
    """Revoke the trust mark, effective from the next statement; repeating this changes nothing.

    Refused for a shop that never had it.
    """
    return change_trust_mark(ctx, site_id, TrustMark.REVOKED)
