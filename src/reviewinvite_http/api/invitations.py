"""Merchants list, show and cancel the invitations of their shop. Spec: §4.9, §4.10, §4.11."""

from __future__ import annotations

from typing import TypeAlias

from litestar import Router, post, route
from litestar.di import NamedDependency
from litestar.params import JSONBody, SkipValidation

from reviewinvite_core import Invalid, InvitationQuery, accepted
from reviewinvite_core.values import InvitationUnknown, Problem
from reviewinvite_core.wire.invitations import InvitationPage, InvitationRecord
from reviewinvite_core.wire.json_converter import NoFields
from reviewinvite_http.api.parameters import InviteId, provide_invitation_query
from reviewinvite_http.openapi.operations import ApiOperation, ApiOperationWithoutBody, refusals
from reviewinvite_http.requests import READ, allow_empty_body
from reviewinvite_http.security import API_KEY, Merchant

_UNKNOWN = InvitationUnknown("")

Filters: TypeAlias = NamedDependency[SkipValidation[InvitationQuery | Invalid]]


@route(
    "/v1/invitations",
    http_method=READ,
    dependencies={"filters": provide_invitation_query},
    operation_class=ApiOperation,
    summary="List the shop's invitations",
    response_description="A page of invitations, which may be empty.",
    responses=refusals(401, 422, 429, examples={422: Invalid(Problem.OUT_OF_RANGE, "limit")}),
)
async def list_invitations(merchant: NamedDependency[Merchant], filters: Filters) -> InvitationPage:
    """List the invitations of your shop, the newest first."""
    if isinstance(filters, Invalid):
        raise await merchant.refusal(filters, merchant.app.api_keys.charge_read)
    page = accepted(await merchant.app.invitations.list(merchant.key, filters))
    return InvitationPage.of((each.invitation for each in page.invitations), page.next)


@route(
    "/v1/invitations/{invite_id:str}",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Retrieve an invitation with its history",
    response_description="The invitation.",
    responses=refusals(401, 404, 429, examples={404: _UNKNOWN}),
)
async def show_invitation(merchant: NamedDependency[Merchant], invite_id: InviteId) -> InvitationRecord:
    """Retrieve an invitation of your shop with its history. The customer's e-mail address is not included."""
    found = accepted(await merchant.app.invitations.show(merchant.key, invite_id))
    return InvitationRecord.with_history(found.invitation, found.history)


@post(
    "/v1/invitations/{invite_id:str}/cancel",
    status_code=200,
    before_request=allow_empty_body,
    operation_class=ApiOperationWithoutBody,
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
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.api_keys.charge_change)
    cancelled = accepted(await merchant.app.invitations.cancel(merchant.key, invite_id))
    return InvitationRecord.with_history(cancelled.invitation, cancelled.history)


INVITATIONS = Router(
    "/", route_handlers=[list_invitations, show_invitation, cancel_invitation], security=API_KEY, tags=["Invitations"]
)
