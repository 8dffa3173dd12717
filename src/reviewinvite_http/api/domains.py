"""Merchants list, add and check the domains of their shop. Spec: §4.15, §4.16."""

from __future__ import annotations

from litestar import Router, post, route
from litestar.di import NamedDependency
from litestar.params import JSONBody

from reviewinvite_core import Invalid, accepted
from reviewinvite_core.values import DomainTaken, DomainUnknown, Problem
from reviewinvite_core.wire.domains import Domain, DomainCheck, DomainList, NewDomain
from reviewinvite_core.wire.json_converter import NoFields
from reviewinvite_http.api.parameters import Host
from reviewinvite_http.conversion import EMPTY_BODY
from reviewinvite_http.openapi.operations import ApiOperation, ApiOperationWithoutBody, refusals
from reviewinvite_http.requests import READ, allow_empty_body, options, require_json
from reviewinvite_http.security import API_KEY, Merchant


@route(
    "/v1/domains",
    http_method=READ,
    operation_class=ApiOperation,
    summary="List the shop's domains",
    response_description="All domains of the shop.",
    responses=refusals(401, 429),
)
async def list_domains(merchant: NamedDependency[Merchant]) -> DomainList:
    """List all domains of your shop, verified or not, each with the proof to publish."""
    return DomainList.of(accepted(await merchant.app.domains.list(merchant.key)))


@post(
    "/v1/domains",
    status_code=200,
    before_request=require_json,
    operation_class=ApiOperation,
    summary="Add a domain",
    response_description="The domain, with the proof to publish.",
    responses=refusals(401, 403, 413, 415, 422, 429, examples={422: Invalid(Problem.NOT_A_HOST, "host")}),
)
async def add_domain(merchant: NamedDependency[Merchant], data: JSONBody[NewDomain | Invalid] = EMPTY_BODY) -> Domain:
    """Add a domain to your shop. Adding it again returns the same proof."""
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.api_keys.charge_change)
    return Domain.of(accepted(await merchant.app.domains.add(merchant.key, data.host.text)))


@post(
    "/v1/domains/{host:str}/check",
    status_code=200,
    before_request=allow_empty_body,
    operation_class=ApiOperationWithoutBody,
    summary="Check the proof of a domain now",
    response_description="The domain after the check.",
    responses=refusals(
        *(401, 403, 404, 409, 413, 415, 422, 429),
        examples={
            404: DomainUnknown("example.nl"),
            409: DomainTaken("example.nl"),
            422: Invalid(Problem.UNKNOWN_FIELD, "way"),
        },
    ),
)
async def check_domain(
    merchant: NamedDependency[Merchant], host: Host, data: JSONBody[NoFields | Invalid | None] = None
) -> DomainCheck:
    """Look for the proof of a domain now, in the DNS and on the host. This takes up to 10 seconds."""
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.api_keys.charge_change)
    checked = accepted(await merchant.app.domains.check(merchant.key, host))
    return DomainCheck.after(checked.result, checked.domain)


DOMAINS = Router(
    "/",
    route_handlers=[options("/v1/domains", "GET, HEAD, OPTIONS, POST"), list_domains, add_domain, check_domain],
    security=API_KEY,
    tags=["Domains"],
)
