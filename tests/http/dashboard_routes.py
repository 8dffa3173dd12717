"""Every address of the dashboard, and who may open it: one that is missing here fails a test.

To add one, say who may send it, and which fields its form has. A parameter of a path needs an example, the id of
something that another shop has: add it to the ids of `House` in `test_dashboard_attackers.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

import attrs


class For(Enum):
    """Who may send a request."""

    EVERYBODY = auto()
    MEMBER = auto()
    STAFF = auto()
    OWNER = auto()
    RECENT_OWNER = auto()


@attrs.frozen
class Entry:
    """A method and an address; `fields` are those of its form."""

    who: For
    fields: Mapping[str, str] = attrs.field(factory=dict)


GET, POST = "GET", "POST"

ROUTES: Mapping[tuple[str, str], Entry] = {
    (GET, "/dashboard/assets/{version:str}/{name:str}"): Entry(For.EVERYBODY),
    (GET, "/dashboard"): Entry(For.MEMBER),
    (GET, "/dashboard/sign-in"): Entry(For.EVERYBODY),
    (POST, "/dashboard/sign-in"): Entry(For.EVERYBODY, {"email": "anna@example.com"}),
    (GET, "/dashboard/sign-in/{token:str}"): Entry(For.EVERYBODY),
    (POST, "/dashboard/sign-in/{token:str}"): Entry(For.EVERYBODY),
    (POST, "/dashboard/sign-out"): Entry(For.MEMBER),
    (GET, "/dashboard/sessions"): Entry(For.MEMBER),
    (POST, "/dashboard/sessions"): Entry(For.MEMBER, {"session_id": "0" * 32}),
    (POST, "/dashboard/sessions/others"): Entry(For.MEMBER),
    (GET, "/dashboard/{site_id:str}/reviews"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/reviews.csv"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/reviews/{review_id:str}"): Entry(For.STAFF),
    (POST, "/dashboard/{site_id:str}/reviews/{review_id:str}/reply"): Entry(For.STAFF, {"text": "Taken over"}),
    (GET, "/dashboard/{site_id:str}/invitations"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/invitations.csv"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/invitations/{invite_id:str}"): Entry(For.STAFF),
    (POST, "/dashboard/{site_id:str}/invitations/{invite_id:str}/cancel"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/invitations/{invite_id:str}/send-now"): Entry(For.STAFF),
    (POST, "/dashboard/{site_id:str}/invitations/{invite_id:str}/send-now"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}"): Entry(For.STAFF),
    (GET, "/dashboard/{site_id:str}/integrations"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/integrations/keys"): Entry(For.RECENT_OWNER, {"label": "stolen", "once": "1"}),
    (GET, "/dashboard/{site_id:str}/integrations/keys/{key_id:str}/revoke"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/integrations/keys/{key_id:str}/revoke"): Entry(For.RECENT_OWNER),
    (POST, "/dashboard/{site_id:str}/integrations/domains"): Entry(For.OWNER, {"host": "evil.example.nl"}),
    (POST, "/dashboard/{site_id:str}/integrations/domains/{host:str}/check"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/integrations/domains/{host:str}/remove"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/integrations/domains/{host:str}/remove"): Entry(For.RECENT_OWNER),
    (POST, "/dashboard/{site_id:str}/integrations/badge"): Entry(
        For.OWNER, {"theme": "dark", "size": "small", "badge_language": "nl"}
    ),
    (POST, "/dashboard/{site_id:str}/integrations/snippet"): Entry(For.OWNER, {"snippet": "off"}),
    (POST, "/dashboard/{site_id:str}/integrations/snippet/secret"): Entry(For.RECENT_OWNER, {"replaces": "0" * 16}),
    (GET, "/dashboard/{site_id:str}/integrations/preview"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/integrations/preview.js"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/settings"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/settings"): Entry(For.OWNER, {"delay_days": "3"}),
    (POST, "/dashboard/{site_id:str}/settings/name"): Entry(For.RECENT_OWNER, {"name": "Taken over"}),
    (POST, "/dashboard/{site_id:str}/settings/name/withdraw"): Entry(For.RECENT_OWNER),
    (POST, "/dashboard/{site_id:str}/settings/reply-to"): Entry(For.RECENT_OWNER, {"reply_to": "evil@example.com"}),
    (GET, "/dashboard/{site_id:str}/members"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/members.csv"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/members"): Entry(For.OWNER, {"email": "evil@example.com", "role": "staff"}),
    (POST, "/dashboard/{site_id:str}/members/{member_id:str}/role"): Entry(For.RECENT_OWNER, {"role": "staff"}),
    (GET, "/dashboard/{site_id:str}/members/{member_id:str}/remove"): Entry(For.OWNER),
    (POST, "/dashboard/{site_id:str}/members/{member_id:str}/remove"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/activity"): Entry(For.OWNER),
    (GET, "/dashboard/{site_id:str}/activity.csv"): Entry(For.OWNER),
}
