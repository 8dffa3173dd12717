"""The HTTP application: its handlers, their dependencies, and its exception handlers."""

from __future__ import annotations

from litestar import Litestar
from litestar.di import Provide
from litestar.types import ControllerRouterHandler

from reviewinvite_core import Application, AsyncApplication
from reviewinvite_http.api.description import Description, openapi_description
from reviewinvite_http.api.health import ReadinessProbe, health, readiness
from reviewinvite_http.api.invitations import cancel_invitation, list_invitations, show_invitation
from reviewinvite_http.api.orders import report_order, report_order_from_browser
from reviewinvite_http.api.reviews import list_reviews, reply_to_review
from reviewinvite_http.api.signing_keys import public_keys
from reviewinvite_http.api.trust_marks import verify
from reviewinvite_http.context import ServerContext
from reviewinvite_http.cors import KEYS_PATH, SNIPPET_PATH, TO_READ, TO_REPORT, VERIFY_PATH, add_cors_headers, preflight
from reviewinvite_http.exceptions import EXCEPTION_HANDLERS
from reviewinvite_http.pages.page import TEMPLATE_CONFIG
from reviewinvite_http.pages.review.handlers import review_page, write_review
from reviewinvite_http.pages.shop.handlers import PublicPages, shop_page
from reviewinvite_http.pages.unsubscribe.handlers import unsubscribe, unsubscribe_page
from reviewinvite_http.requests import LARGEST_BODY
from reviewinvite_http.responses import PlainResponse
from reviewinvite_http.schemas.plugin import CattrsPlugin
from reviewinvite_http.security import Access, client_address
from reviewinvite_http.widget.badge import badge_script
from reviewinvite_http.widget.snippet import snippet_script

HANDLERS: list[ControllerRouterHandler] = [
    preflight(SNIPPET_PATH, TO_REPORT),  # before the handlers of these paths; else Litestar adds OPTIONS itself
    preflight(VERIFY_PATH + "{site_id:str}", TO_READ),
    preflight(KEYS_PATH, TO_READ),
    *(report_order, report_order_from_browser),
    *(list_reviews, reply_to_review),
    *(list_invitations, show_invitation, cancel_invitation),
    *(verify, public_keys),
    *(badge_script, snippet_script),
    *(review_page, write_review),
    *(unsubscribe_page, unsubscribe),
    shop_page,
    *(health, readiness, openapi_description),
]

PROVIDED = ("server", "merchant", "client", "probe", "pages", "description")
"""Names of the dependencies of handlers."""


def create_app(application: Application | AsyncApplication, *, server: ServerContext | None = None) -> Litestar:
    """Return the HTTP API and the pages of an application, for any ASGI server or for mounting in another application.

    It needs no lifespan events: a response is sent after its commit is on disk, so nothing is pending at shutdown.
    Requests share commits with other calls of an `AsyncApplication`. `server` is the context that `serve` shares with
    its worker; whoever creates one must close it.
    """
    if server is None:  # one that is made here in vain would start threads
        server = ServerContext(
            application if isinstance(application, AsyncApplication) else AsyncApplication(application)
        )
    context = server
    access = Access(context.app)
    probe, pages = ReadinessProbe(context), PublicPages(context)
    dependencies = {
        "server": Provide(lambda: context, use_cache=True, sync_to_thread=False),
        "merchant": Provide(access.merchant, sync_to_thread=False),
        "client": Provide(client_address, sync_to_thread=False),
        "probe": Provide(lambda: probe, use_cache=True, sync_to_thread=False),
        "pages": Provide(lambda: pages, use_cache=True, sync_to_thread=False),
        "description": Provide(lambda: description, use_cache=True, sync_to_thread=False),
    }
    description = Description(HANDLERS, PROVIDED)
    return Litestar(
        HANDLERS,
        dependencies=dependencies,
        plugins=[CattrsPlugin()],
        exception_handlers=EXCEPTION_HANDLERS,
        before_send=[add_cors_headers],
        response_class=PlainResponse,
        template_config=TEMPLATE_CONFIG,
        request_max_body_size=LARGEST_BODY,
        openapi_config=None,
        logging_config=None,
    )
