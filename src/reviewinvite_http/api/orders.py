"""Report orders from a shop's server or from a customer's browser. Spec: §4.1, §4.2."""

from __future__ import annotations

from litestar import Response, Router, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody

from reviewinvite_core import ClientAddress, Invalid, OrderReport, Refused, SnippetReport, accepted
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.values import OriginForeign
from reviewinvite_core.wire.orders import Acknowledged, ReportedOrder
from reviewinvite_core.wire.shape import example_of
from reviewinvite_http.context import ServerContext
from reviewinvite_http.conversion import EMPTY_BODY
from reviewinvite_http.cors import SNIPPET_PATH, TO_REPORT, preflight
from reviewinvite_http.openapi.operations import ApiOperation, JsonExample, PublicOperation, refusals
from reviewinvite_http.requests import AnyRequest, header, require_json
from reviewinvite_http.responses import JSON, PlainResponse
from reviewinvite_http.security import API_KEY, Merchant
from reviewinvite_http.view_counting import log_crossings

_log = get_logger("reviewinvite.orders")


@post(
    "/v1/orders",
    media_type=JSON,
    before_request=require_json,
    operation_class=ApiOperation,
    security=API_KEY,
    summary="Report a completed order and schedule its invitation",
    response_description="The order is new.",
    responses={
        200: ResponseSpec(
            ReportedOrder,
            description="The order was reported before.",
            generate_examples=False,
            examples=[JsonExample(id="reported-example-1", value={**example_of(ReportedOrder), "duplicate": True})],
        ),
        **refusals(401, 403, 413, 415, 422, 429),
    },
)
async def report_order(
    merchant: NamedDependency[Merchant], data: JSONBody[OrderReport | Invalid] = EMPTY_BODY
) -> Response[ReportedOrder]:
    """Report a completed order and schedule its invitation.

    Reporting the same order again returns the same invitation, so retries are safe.
    """
    if isinstance(data, Invalid):
        raise await merchant.refusal(data, merchant.app.orders.charge)
    reported = accepted(await merchant.app.orders.report(merchant.key, data))
    return PlainResponse(ReportedOrder.of(reported), status_code=200 if reported.duplicate else 201)


@post(
    SNIPPET_PATH,
    before_request=require_json,
    status_code=202,
    operation_class=PublicOperation,
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
    if isinstance(data, Invalid):
        raise Refused(await server.app.orders.charge_client(client) or data)
    answer = await server.app.orders.report_from_snippet(client, header(request, "origin"), data)
    crossed = accepted(answer).crossed
    if crossed:
        log_crossings(_log, "share of daily snippet orders reached", data.site_id.text, crossed)
    return Acknowledged()


ORDERS = Router(
    "/", route_handlers=[report_order, preflight(SNIPPET_PATH, TO_REPORT), report_order_from_browser], tags=["Orders"]
)
