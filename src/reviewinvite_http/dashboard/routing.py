"""All pages of the dashboard, and what every one of them has in common."""

from __future__ import annotations

from litestar import Router
from litestar.plugins.htmx import HTMXRequest
from litestar.types import ControllerRouterHandler

from reviewinvite_http.dashboard.activity.handlers import activity_csv, activity_page
from reviewinvite_http.dashboard.address import PATH
from reviewinvite_http.dashboard.dependencies import DEPENDENCIES
from reviewinvite_http.dashboard.form import LARGEST_FORM
from reviewinvite_http.dashboard.form_guard import guard_request
from reviewinvite_http.dashboard.integrations.handlers import (
    add_domain,
    check_domain,
    create_key,
    integrations_page,
    remove_domain,
    remove_page as remove_domain_page,
    revoke_key,
    revoke_page,
    set_badge,
    set_snippet,
    snippet_secret,
)
from reviewinvite_http.dashboard.integrations.preview import preview_page, preview_script
from reviewinvite_http.dashboard.invitations.handlers import (
    cancel,
    invitation_page,
    invitations_csv,
    invitations_page,
    send_now,
    send_now_page,
)
from reviewinvite_http.dashboard.members.handlers import (
    add_member,
    change_role,
    members_csv,
    members_page,
    remove_member,
    remove_page,
)
from reviewinvite_http.dashboard.overview.handlers import overview_page
from reviewinvite_http.dashboard.problems import EXCEPTION_HANDLERS
from reviewinvite_http.dashboard.reviews.handlers import reply, review_page, reviews_csv, reviews_page
from reviewinvite_http.dashboard.settings.handlers import (
    change_name,
    change_reply_to,
    change_settings,
    settings_page,
    withdraw_name,
)
from reviewinvite_http.dashboard.sign_in.handlers import (
    end_other_sessions,
    end_session,
    link_page,
    request_link,
    sessions_page,
    shops_page,
    sign_in_page,
    sign_out,
    use_link,
)

SECTIONS: list[ControllerRouterHandler] = [
    overview_page,
    *(reviews_page, reviews_csv, review_page, reply),
    *(invitations_page, invitations_csv, invitation_page, cancel, send_now, send_now_page),
    *(integrations_page, create_key, revoke_page, revoke_key),
    *(add_domain, check_domain, remove_domain_page, remove_domain),
    *(set_snippet, snippet_secret),
    *(set_badge, preview_page, preview_script),
    *(settings_page, change_settings, change_name, withdraw_name, change_reply_to),
    *(members_page, members_csv, add_member, change_role, remove_page, remove_member),
    *(activity_page, activity_csv),
]
"""Pages of one shop, below `/dashboard/<site_id>/`."""

DASHBOARD = Router(
    PATH,
    route_handlers=[
        *(sign_in_page, request_link, link_page, use_link, sign_out),
        *(sessions_page, end_session, end_other_sessions),
        shops_page,
        *SECTIONS,
    ],
    before_request=guard_request,
    dependencies=DEPENDENCIES,
    exception_handlers=EXCEPTION_HANDLERS,
    request_class=HTMXRequest,
    request_max_body_size=LARGEST_FORM,
    include_in_schema=False,
)
