"""Export what is stored about a person. Spec: §1 (what is kept)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import InvitationRecord
from reviewinvite_core.usecases.privacy.suppression_records import SuppressionRecord
from reviewinvite_core.usecases.reviews.records import ReviewRecord


@attrs.frozen(kw_only=True)
class HeldAddress:
    """Everything stored about an address: invitations and reviews, oldest first with histories, and suppressions."""

    invitations: Sequence[InvitationRecord]
    suppressions: Sequence[SuppressionRecord]
    reviews: Sequence[ReviewRecord] = ()


@read
def export_address(ctx: UnitContext, email: str) -> HeldAddress:
    """Return what is stored about this address at every shop, even after its erasure.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    shops = {shop.number: shop for shop in ctx.store.shops.every()}
    found = sorted(
        ctx.store.invitations.of_address(hashed, shop_number=None), key=lambda each: (each.reported_at, each.invite_id)
    )
    written = [(each, ctx.store.reviews.of_invitation(each.shop_number, each.invite_id)) for each in found]
    return HeldAddress(
        invitations=[
            InvitationRecord(
                invitation=each,
                shop=shops[each.shop_number],
                history=ctx.store.invitations.history(each),
            )
            for each in found
        ],
        suppressions=[
            SuppressionRecord(suppression=each, shop=shops.get(each.shop_number or 0))
            for each in ctx.store.suppressions.of_address(hashed)
        ],
        reviews=[
            ReviewRecord(
                review=review,
                shop=shops[review.shop_number],
                order_number=invitation.order_number,
                history=ctx.store.reviews.history(review),
            )
            for invitation, review in written
            if review
        ],
    )
