"""The converter of the HTTP API, and the attributes that it shows of each class. ADR-39."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewinvite_core import Reported
from reviewinvite_core.domain.invitations import Change
from reviewinvite_core.domain.reviews import Reply
from reviewinvite_core.ports import Condition, Connections
from reviewinvite_core.values import (
    Acknowledged,
    BadgeLook,
    Bookmark,
    Domain,
    Invitation,
    InvitationRecord,
    MerchantReviews,
    ReviewRecord,
    Shop,
)
from reviewinvite_core.wire.json_converter import REVIEW, accept, json_converter, shape
from reviewinvite_http.schemas.errors import ErrorBody, FieldError
from reviewinvite_http.schemas.health import Health, Readiness
from reviewinvite_http.schemas.invitations import MerchantInvitations
from reviewinvite_http.schemas.shops import (
    CheckedDomain,
    MerchantDomains,
    NewBadge,
    NewDomain,
    ProofAbsence,
    SettingsUpdate,
)

_INVITATION = (
    "invite_id",
    "order_number",
    "source",
    "confirmed",
    "language",
    "state",
    "reason",
    "reported_at",
    "scheduled_for",
    "changed_at",
)
_DOMAIN = (
    "host",
    "status",
    "verified",
    "record_name",
    "well_known_url",
    "proof",
    "added_at",
    "verified_at",
    "checked_at",
    "missing_since",
    "lost_at",
)

SHOWN: Mapping[type, Sequence[str]] = {
    Reported: ("invite_id", "scheduled_for", "duplicate"),
    Reply: ("text", "replied_at"),
    Change: ("state", "reason", "at", "reply"),
    Acknowledged: ("ok",),
    ReviewRecord: REVIEW,
    MerchantReviews: ("reviews", "next", "more"),
    Invitation: _INVITATION,
    InvitationRecord: (*(f"invitation.{name}" for name in _INVITATION), "history"),
    MerchantInvitations: ("invitations", "next", "more"),
    Shop: ("site_id", "name", "active", "language", "delay", "frequency_days", "snippet", "trust_mark"),
    BadgeLook: ("theme", "size", "language"),
    Domain: _DOMAIN,
    MerchantDomains: ("domains",),
    ProofAbsence: ("way", "reason"),
    CheckedDomain: (*(f"domain.{name}" for name in _DOMAIN), "found", "absences"),
    Connections: ("open", "in_use", "waiting"),
    Condition: ("engine", "connections"),
    Health: ("status",),
    Readiness: ("status", "storage", "delivery", "reason"),
    FieldError: ("field", "code", "error", "detail"),
    ErrorBody: ("error", "code", "request_id", "field", "type", "title", "status", "detail", "errors"),
}
"""The attributes shown of each class, in order."""

LEFT_OUT: Mapping[type, Sequence[str]] = {
    Reported: ("duplicate",),
    BadgeLook: ("language",),
    Condition: ("connections",),
    Readiness: ("reason",),
    ErrorBody: ("field",),
}
"""The attributes of a class that are left out if they are None, false or empty."""

_CURSOR = {"next": "cursor"}
_OF_A_DOMAIN = {"status": "standing", "record_name": "txtName", "well_known_url": "fileUrl"}
RENAMED: Mapping[type, Mapping[str, str]] = {
    MerchantReviews: _CURSOR,
    MerchantInvitations: _CURSOR,
    Domain: _OF_A_DOMAIN,
    CheckedDomain: _OF_A_DOMAIN,
}
"""The attributes of a class that have another name in JSON than their own."""

converter = json_converter()
for _cls, _paths in SHOWN.items():
    shape(converter, _cls, *_paths, omit_if_false=LEFT_OUT.get(_cls, ()), **RENAMED.get(_cls, {}))
for _body in (SettingsUpdate, NewDomain, NewBadge):
    accept(converter, _body)
converter.register_unstructure_hook(
    MerchantInvitations,
    lambda page: {
        "invitations": converter.unstructure(page.invitations),
        "cursor": page.next.replace("-", "") if page.next else None,
        "more": page.more,
    },
)
converter.register_unstructure_hook(Bookmark, lambda bookmark: bookmark.text)
