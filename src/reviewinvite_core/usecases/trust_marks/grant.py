"""Grant a shop the trust mark. Spec: §3."""

from __future__ import annotations

from reviewinvite_core.domain.errors import ShopUnknown, TrustMarkStateConflict
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.trust_marks.change import change_trust_mark


@write()
def grant_trust_mark(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown:
    """Grant the trust mark, from the next statement on; granting it again changes nothing."""
    granted = change_trust_mark(ctx, site_id, TrustMark.GRANTED)
    if isinstance(granted, TrustMarkStateConflict):
        raise AssertionError(granted)  # it can be granted in every state
    return granted
