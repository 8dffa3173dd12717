"""List invitations. Spec: §3, §4.9, ADR-30."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import OPERATOR, Credential, Operator
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached, Problem, ShopUnknown
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.records import InvitationRecord


def _to_place(text: str | None) -> str | None:
    place = parse_uuid(text) if text is not None else None
    if text is not None and place is None:
        raise Invalid(Problem.MALFORMED, "before")
    return place


@attrs.frozen(kw_only=True)
class InvitationQuery:
    """Filters for a list of invitations: shop, state and order number, each optional, and at most `limit` items.

    A shop lists only its own invitations, and needs no `site_id`. `before` is the `next` of the previous page, or an
    invitation's id. `with_reviews` asks whether reviews followed.

    Raises: `Invalid` if `before` is not an id.
    """

    site_id: str | None = None
    state: State | None = None
    order_number: str | None = None
    before: str | None = attrs.field(default=None, converter=_to_place)
    limit: int = 100
    with_reviews: bool = False


@attrs.frozen(kw_only=True)
class InvitationPage:
    """A page of invitations without their histories, newest first; `next` is the cursor of the next page, or None."""

    invitations: Sequence[InvitationRecord]
    next: str | None


Listed: TypeAlias = InvitationPage | ShopUnknown | KeyRefused | LimitReached | Invalid


@write(locks=credential_locks, only_if=is_charged)
def list_invitations(ctx: UnitContext, caller: Credential | Operator, query: InvitationQuery | Invalid) -> Listed:
    """List the newest invitations. Ids increase with time, so new invitations never appear on a later page."""
    reader = caller if caller is OPERATOR else admit_reader(ctx, caller)
    if not isinstance(reader, Shop | Operator):
        return reader
    if isinstance(query, Invalid):
        return query
    found = _of_any_shop(ctx, query) if reader is OPERATOR else _of_own_shop(ctx, reader, query)
    if isinstance(found, ShopUnknown):
        return found
    page = found[: query.limit]
    asked = [(shop.number, invitation.invite_id) for shop, invitation in page if query.with_reviews]
    reviewed = ctx.store.reviews.reviewed(asked) if asked else ()
    return InvitationPage(
        invitations=[
            InvitationRecord(invitation=invitation, shop=shop, reviewed=(shop.number, invitation.invite_id) in reviewed)
            for shop, invitation in page
        ],
        next=page[-1][1].invite_id if page and len(found) > query.limit else None,
    )


def _of_any_shop(ctx: UnitContext, query: InvitationQuery) -> Sequence[tuple[Shop, Invitation]] | ShopUnknown:
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    return ctx.store.invitations.newest(
        shop=shop, state=query.state, before=query.before, order_number=query.order_number, limit=query.limit + 1
    )


def _of_own_shop(
    ctx: UnitContext, shop: Shop, query: InvitationQuery
) -> Sequence[tuple[Shop, Invitation]] | ShopUnknown:
    if query.site_id not in (None, shop.site_id.text):
        return ShopUnknown(str(query.site_id))
    found = ctx.store.invitations.of_shop(
        shop.number, state=query.state, before=query.before, order_number=query.order_number, limit=query.limit + 1
    )
    return [(shop, invitation) for invitation in found]
