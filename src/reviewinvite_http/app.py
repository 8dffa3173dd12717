"""The HTTP application: its handlers, their dependencies, and its exception handlers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from itertools import count
from typing import cast

if find_spec("litestar") is None:
    raise ModuleNotFoundError("the HTTP API needs litestar: install reviewinvite[http]", name="litestar")

from litestar import Litestar
from litestar.di import Provide
from litestar.enums import ScopeType
from litestar.types import ControllerRouterHandler, LifeSpanReceive, LifeSpanScope, LifeSpanSend, Receive, Scope, Send

from reviewinvite_core import Application, AsyncApplication
from reviewinvite_core.bootstrap.loggers import REQUEST_ID
from reviewinvite_core.domain.policy import LARGEST_BODY
from reviewinvite_http.api.description import Description, openapi_description
from reviewinvite_http.api.domains import DOMAINS
from reviewinvite_http.api.health import HEALTH, ReadinessProbe
from reviewinvite_http.api.invitations import INVITATIONS
from reviewinvite_http.api.metrics import show_metrics
from reviewinvite_http.api.orders import ORDERS
from reviewinvite_http.api.reviews import REVIEWS
from reviewinvite_http.api.shops import SHOPS
from reviewinvite_http.api.signing_keys import SIGNING_KEYS
from reviewinvite_http.api.trust_marks import TRUST_MARKS
from reviewinvite_http.context import ServerContext
from reviewinvite_http.conversion import ConversionPlugin
from reviewinvite_http.cors import add_cors_headers
from reviewinvite_http.dashboard.address import NOWHERE, DashboardAddress, is_beside_dashboard
from reviewinvite_http.dashboard.assets import dashboard_asset
from reviewinvite_http.dashboard.routing import DASHBOARD
from reviewinvite_http.exceptions import EXCEPTION_HANDLERS
from reviewinvite_http.exchanges import begin, complete_response
from reviewinvite_http.metrics.metrics import Metrics
from reviewinvite_http.pages.docs.handlers import api_docs, explorer_script
from reviewinvite_http.pages.errors.handlers import errors_page
from reviewinvite_http.pages.home.handlers import favicon, home_page, robots_txt, security_txt
from reviewinvite_http.pages.page import template_config
from reviewinvite_http.pages.review.handlers import review_page, write_review
from reviewinvite_http.pages.shop.handlers import PublicPages, shop_page
from reviewinvite_http.pages.unsubscribe.handlers import unsubscribe, unsubscribe_page
from reviewinvite_http.responses import PlainResponse
from reviewinvite_http.security import Access, add_rate_limit, client_address
from reviewinvite_http.widget.badge import badge_script
from reviewinvite_http.widget.snippet import snippet_script

HANDLERS: list[ControllerRouterHandler] = [
    *(ORDERS, REVIEWS, INVITATIONS, SHOPS, DOMAINS, TRUST_MARKS, SIGNING_KEYS),
    *(badge_script, snippet_script),
    *(review_page, write_review),
    *(unsubscribe_page, unsubscribe),
    shop_page,
    *(home_page, favicon, robots_txt, security_txt),
    *(DASHBOARD, dashboard_asset),
    *(HEALTH, openapi_description, show_metrics),
    *(api_docs, explorer_script, errors_page),
]

PROVIDED = ("server", "merchant", "client", "probe", "pages", "description")
"""Names of the dependencies of handlers."""


def create_app(application: Application | AsyncApplication, *, server: ServerContext | None = None) -> Litestar:
    """Return the HTTP API and the pages of an application, for any ASGI server or for mounting in another application.

    Requests share commits with other calls of an `AsyncApplication`, which you close yourself. For an `Application`,
    one is made here. It is closed at the shutdown that the server announces (ASGI lifespan), and made again at the next
    start. Without these events, as for a mounted application, its threads end with the process. In any case a response
    is sent after its commit is on disk, so nothing is pending at the end, and the `Application` stays open.

    With `metrics_token` in the settings of the application, `/metrics` shows what happens to it from now on.

    `server` is the context that `serve` shares with its worker, in place of one that is made here.
    """
    context = server or _context_of(application)
    lifespan = [] if server or isinstance(application, AsyncApplication) else [_closing(context)]
    if context.metrics and not server:
        lifespan.append(_reading(context.metrics))
    access = Access(context)
    probe, pages = ReadinessProbe(context), PublicPages(context)
    dependencies = {
        "server": Provide(lambda: context, use_cache=True, sync_to_thread=False),
        "merchant": Provide(access.merchant, sync_to_thread=False),
        "client": Provide(client_address, sync_to_thread=False),
        "probe": Provide(lambda: probe, use_cache=True, sync_to_thread=False),
        "pages": Provide(lambda: pages, use_cache=True, sync_to_thread=False),
        "description": Provide(lambda: description, use_cache=True, sync_to_thread=False),
    }
    description = Description(HANDLERS, PROVIDED, context.app.base_url)
    dashboard = DashboardAddress.of(context.app)
    service = _ObservedLitestar(
        HANDLERS,
        dependencies=dependencies,
        plugins=[ConversionPlugin()],
        exception_handlers=EXCEPTION_HANDLERS,
        before_send=[add_cors_headers, add_rate_limit, complete_response],
        response_class=PlainResponse,
        return_dto=None,  # `PlainResponse` converts what handlers return
        template_config=template_config(context.app),
        state=dashboard.as_state(),
        request_max_body_size=LARGEST_BODY,
        lifespan=lifespan,
        openapi_config=None,
        logging_config=None,
    )
    service.context, service.dashboard = context, dashboard if dashboard.is_apart else None
    return service


def _context_of(application: Application | AsyncApplication) -> ServerContext:
    app = application if isinstance(application, AsyncApplication) else AsyncApplication(application)
    metrics = Metrics(app.sync.metrics_token) if app.sync.metrics_token else None
    if metrics:
        app.sync.telemetry.add(metrics)
    return ServerContext(app, metrics=metrics)


class _ObservedLitestar(Litestar):
    """A Litestar application that reports all requests, and names them in the lines that are logged meanwhile.

    Litestar's middleware does not see requests that no handler serves.
    """

    context: ServerContext
    dashboard: DashboardAddress | None  # if it has a host of its own

    async def __call__(
        self, scope: Scope | LifeSpanScope, receive: Receive | LifeSpanReceive, send: Send | LifeSpanSend
    ) -> None:
        """Answer a request."""
        if scope["type"] != ScopeType.HTTP:
            await super().__call__(scope, receive, send)
            return
        named = REQUEST_ID.set(begin(cast(Scope, scope), self.context.observers))
        if self.dashboard and is_beside_dashboard(cast(Scope, scope), self.dashboard):
            scope = cast(Scope, {**scope, **NOWHERE})  # before routing, which answers OPTIONS and 405 by itself
        try:
            await super().__call__(scope, receive, send)
        finally:
            REQUEST_ID.reset(named)


def _closing(context: ServerContext) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Return a lifespan that closes the context's `AsyncApplication` at its end, and makes one at the next start."""
    starts = count()

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        if next(starts):
            context.app = AsyncApplication(context.app.sync)
        try:
            yield
        finally:
            await context.app.aclose()

    return lifespan


def _reading(metrics: Metrics) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Return a lifespan at whose end the metrics read storage no more."""

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        try:
            yield
        finally:
            metrics.end_reading()

    return lifespan
