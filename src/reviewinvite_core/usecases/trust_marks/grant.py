"""Grant a shop the trust mark. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.trust_marks.change import TrustMarkChange, change_trust_mark


@write()
def grant_trust_mark(ctx: UnitContext, site_id: str) -> TrustMarkChange:
    """Grant the trust mark, effective from the next statement; repeating this changes nothing."""
    return change_trust_mark(ctx, site_id, TrustMark.GRANTED)
