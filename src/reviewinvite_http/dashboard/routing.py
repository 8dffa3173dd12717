"""All pages of the dashboard, and what every one of them has in common."""

from __future__ import annotations

from litestar import Router
from litestar.plugins.htmx import HTMXRequest
from litestar.types import ControllerRouterHandler

from reviewinvite_core.domain.policy import LARGEST_FORM
from reviewinvite_http.dashboard.activity import handlers as activity
from reviewinvite_http.dashboard.address import PATH
from reviewinvite_http.dashboard.dependencies import DEPENDENCIES
from reviewinvite_http.dashboard.form_guard import guard_request
from reviewinvite_http.dashboard.integrations import handlers as integrations, preview
from reviewinvite_http.dashboard.invitations import handlers as invitations
from reviewinvite_http.dashboard.members import handlers as members
from reviewinvite_http.dashboard.overview import handlers as overview
from reviewinvite_http.dashboard.problems import EXCEPTION_HANDLERS
from reviewinvite_http.dashboard.reviews import handlers as reviews
from reviewinvite_http.dashboard.settings import handlers as settings
from reviewinvite_http.dashboard.sign_in import handlers as sign_in

SECTIONS: list[ControllerRouterHandler] = [
    *overview.HANDLERS,
    *reviews.HANDLERS,
    *invitations.HANDLERS,
    *integrations.HANDLERS,
    *preview.HANDLERS,
    *settings.HANDLERS,
    *members.HANDLERS,
    *activity.HANDLERS,
]
"""Pages of one shop, below `/dashboard/<site_id>/`."""

DASHBOARD = Router(
    PATH,
    route_handlers=[*sign_in.HANDLERS, *SECTIONS],
    before_request=guard_request,
    dependencies=DEPENDENCIES,
    exception_handlers=EXCEPTION_HANDLERS,
    request_class=HTMXRequest,
    request_max_body_size=LARGEST_FORM,
    include_in_schema=False,
)
