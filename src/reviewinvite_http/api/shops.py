"""Merchants read and change their shop's settings and the appearance of its badge. Spec: §4.13, §4.14."""

from __future__ import annotations

from litestar import Router, patch, put, route
from litestar.di import NamedDependency
from litestar.params import JSONBody

from reviewinvite_core import Invalid, accepted
from reviewinvite_core.values import Problem, SignatureUnseen
from reviewinvite_core.wire.shops import Badge, NewBadge, SettingsUpdate, Shop
from reviewinvite_http.conversion import EMPTY_BODY
from reviewinvite_http.openapi.operations import ApiOperation, refusals
from reviewinvite_http.requests import READ, options, require_json
from reviewinvite_http.security import API_KEY, Merchant


@route(
    "/v1/shop",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Retrieve the shop and its settings",
    response_description="The shop.",
    responses=refusals(401, 429),
)
async def show_shop(merchant: NamedDependency[Merchant]) -> Shop:
    """Retrieve your shop and its settings."""
    return Shop.of(accepted(await merchant.app.shops.show(merchant.key)))


@patch(
    "/v1/shop",
    before_request=require_json,
    operation_class=ApiOperation,
    summary="Change the shop's settings",
    response_description="The shop with its settings.",
    responses=refusals(
        *(401, 403, 409, 413, 415, 422, 429),
        examples={409: SignatureUnseen(), 422: Invalid(Problem.OUT_OF_RANGE, "delayDays")},
    ),
)
async def update_shop(
    merchant: NamedDependency[Merchant], data: JSONBody[SettingsUpdate | Invalid] = EMPTY_BODY
) -> Shop:
    """Change the given settings of your shop and keep the others.

    Invitations that are already scheduled keep their time and language. The name and the address for replies can be
    changed in the dashboard only.
    """
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.api_keys.charge_change)
    return Shop.of(accepted(await merchant.app.shops.update(merchant.key, data.changes)))


@route(
    "/v1/badge",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Retrieve the appearance of the badge",
    response_description="The appearance of the badge.",
    responses=refusals(401, 429),
)
async def show_badge(merchant: NamedDependency[Merchant]) -> Badge:
    """Retrieve the appearance of your badge."""
    return Badge.of(accepted(await merchant.app.shops.show(merchant.key)).badge)


@put(
    "/v1/badge",
    before_request=require_json,
    operation_class=ApiOperation,
    summary="Set the appearance of the badge",
    response_description="The appearance of the badge.",
    responses=refusals(401, 403, 413, 415, 422, 429, examples={422: Invalid(Problem.UNKNOWN_THEME, "theme")}),
)
async def set_badge(merchant: NamedDependency[Merchant], data: JSONBody[NewBadge | Invalid] = EMPTY_BODY) -> Badge:
    """Set the whole appearance of your badge. Pages show it within 5 minutes; their tag stays the same."""
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.api_keys.charge_change)
    return Badge.of(accepted(await merchant.app.badges.configure(merchant.key, data.look)).badge)


SHOPS = Router(
    "/",
    route_handlers=[
        options("/v1/shop", "GET, HEAD, OPTIONS, PATCH"),
        options("/v1/badge", "GET, HEAD, OPTIONS, PUT"),
        *(show_shop, update_shop, show_badge, set_badge),
    ],
    security=API_KEY,
    tags=["Shop"],
)
