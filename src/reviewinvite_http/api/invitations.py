"""Merchants list, show and cancel the invitations of their shop. Spec: §4.9, §4.10, §4.11."""

from __future__ import annotations

from typing import TypeAlias

from litestar import post, route
from litestar.di import NamedDependency
from litestar.params import JSONBody, SkipValidation

from reviewinvite_core import Invalid, InvitationQuery, accepted
from reviewinvite_core.values import InvitationRecord, InvitationUnknown, Problem
from reviewinvite_core.wire.json_converter import NoFields
from reviewinvite_http.operations import ApiOperation, ApiOperationWithoutBody, refusals
from reviewinvite_http.requests import READ, allow_empty_body
from reviewinvite_http.schemas.invitations import MerchantInvitations
from reviewinvite_http.schemas.parameters import InviteId, provide_invitation_query
from reviewinvite_http.security import API_KEY, Merchant

TAGS = ["Invitations"]

_UNKNOWN = InvitationUnknown("")

Filters: TypeAlias = NamedDependency[SkipValidation[InvitationQuery | Invalid]]


@route(
    "/v1/invitations",
    http_method=READ,
    dependencies={"filters": provide_invitation_query},
    operation_class=ApiOperation,
    security=API_KEY,
    tags=TAGS,
    summary="List the shop's invitations",
    response_description="A page of invitations, which may be empty.",
    responses=refusals(401, 422, 429, examples={422: Invalid(Problem.OUT_OF_RANGE, "limit")}),
)
async def list_invitations(merchant: NamedDependency[Merchant], filters: Filters) -> MerchantInvitations:
    """List the invitations of your shop, the newest first."""
    answer = await merchant.app.invitations.list(merchant.key, filters)
    return MerchantInvitations.of(accepted(answer))


@route(
    "/v1/invitations/{invite_id:str}",
    http_method=READ,
    operation_class=ApiOperation,
    security=API_KEY,
    tags=TAGS,
    summary="Retrieve an invitation with its history",
    response_description="The invitation.",
    responses=refusals(401, 404, 429, examples={404: _UNKNOWN}),
)
async def show_invitation(merchant: NamedDependency[Merchant], invite_id: InviteId) -> InvitationRecord:
    """Retrieve an invitation of your shop with its history. The customer's e-mail address is not included."""
    answer = await merchant.app.invitations.show(merchant.key, invite_id)
    return accepted(answer)


@post(
    "/v1/invitations/{invite_id:str}/cancel",
    status_code=200,
    before_request=allow_empty_body,
    operation_class=ApiOperationWithoutBody,
    security=API_KEY,
    tags=TAGS,
    summary="Cancel an invitation before it is handed over",
    response_description="The cancelled invitation. No e-mail is sent.",
    responses=refusals(
        *(401, 403, 404, 409, 413, 415, 422, 429),
        examples={404: _UNKNOWN, 422: Invalid(Problem.UNKNOWN_FIELD, "reason")},
    ),
)
async def cancel_invitation(
    merchant: NamedDependency[Merchant], invite_id: InviteId, data: JSONBody[NoFields | Invalid | None] = None
) -> InvitationRecord:
    """Cancel an invitation, for example after a refund. Cancelling it again changes nothing."""
    answer = await merchant.app.invitations.cancel(merchant.key, data if isinstance(data, Invalid) else invite_id)
    return accepted(answer)
