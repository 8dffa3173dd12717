"""Report orders from a shop's server or from a customer's browser. Spec: §4.1, §4.2."""

from __future__ import annotations

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from reviewinvite_core import ClientAddress, Invalid, OrderReport, Reported, SnippetReport, accepted
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.values import Acknowledged, OriginForeign
from reviewinvite_http.context import ServerContext
from reviewinvite_http.cors import SNIPPET_PATH
from reviewinvite_http.operations import ApiOperation, JsonExample, PublicOperation, refusals
from reviewinvite_http.requests import AnyRequest, header, require_json
from reviewinvite_http.responses import JSON, PlainResponse
from reviewinvite_http.schemas.bodies import EMPTY_BODY
from reviewinvite_http.schemas.examples import EXAMPLES
from reviewinvite_http.security import API_KEY, Merchant
from reviewinvite_http.view_counting import log_crossings

TAGS = ["Orders"]

_log = get_logger("reviewinvite.orders")


@post(
    "/v1/orders",
    media_type=JSON,
    before_request=require_json,
    operation_class=ApiOperation,
    security=API_KEY,
    tags=TAGS,
    summary="Report a completed order and schedule its invitation",
    response_description="The order is new.",
    responses={
        200: ResponseSpec(
            Reported,
            description="The order was reported before.",
            generate_examples=False,
            examples=[JsonExample(value={**EXAMPLES[Reported], "duplicate": True})],
        ),
        **refusals(401, 403, 413, 415, 422, 429),
    },
)
async def report_order(
    merchant: NamedDependency[Merchant], data: JSONBody[OrderReport | Invalid] = EMPTY_BODY
) -> Response[Reported]:
    """Report a completed order and schedule its invitation.

    Reporting the same order again returns the same invitation, so retries are safe.
    """
    answer = await merchant.app.orders.report(merchant.key, data)
    reported = accepted(answer)
    return PlainResponse(reported, status_code=200 if reported.duplicate else 201)


@post(
    SNIPPET_PATH,
    before_request=require_json,
    status_code=202,
    operation_class=PublicOperation,
    tags=TAGS,
    summary="Report a completed order from the customer's browser",
    response_description="The report was accepted.",
    responses=refusals(403, 413, 415, 422, 429, examples={403: OriginForeign()}),
)
async def report_order_from_browser(
    server: NamedDependency[ServerContext],
    client: NamedDependency[ClientAddress],
    request: AnyRequest,
    data: JSONBody[SnippetReport | Invalid] = EMPTY_BODY,
) -> Acknowledged:
    """Report a completed order from the customer's browser, without an API key.

    The `Origin` header must name a verified domain of the shop. The response is the same for a new order, a repeated
    order and a report that is dropped.
    """
    answer = await server.app.orders.report_from_snippet(client, header(request, "origin"), data)
    acknowledged = accepted(answer)
    if acknowledged.crossed and isinstance(data, SnippetReport):
        log_crossings(_log, "share of daily snippet orders reached", data.site_id.text, acknowledged.crossed)
    return acknowledged
