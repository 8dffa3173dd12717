"""What the OpenAPI description says of single fields beyond their types: meaning, examples, exact bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewinvite_core import (
    Invitation,
    InvitationRecord,
    MerchantReviews,
    NewReply,
    OrderReport,
    Reported,
    ReviewRecord,
    SnippetReport,
)
from reviewinvite_core.domain.invitations import Change
from reviewinvite_core.domain.reviews import LONGEST_AUTHOR, LONGEST_REPLY, LONGEST_TEXT
from reviewinvite_http.schemas.errors import ErrorBody, FieldError
from reviewinvite_http.schemas.health import Readiness
from reviewinvite_http.schemas.invitations import MerchantInvitations
from reviewinvite_http.schemas.parameters import MOST_ON_A_PAGE
from reviewinvite_http.schemas.patterns import INVITATION_CURSOR, ORDER_NUMBER, REPLY
from reviewinvite_http.schemas.statements import KeySet, PublicKey, Rating, Signature

_BASE64URL = "^[A-Za-z0-9_-]+$"
_UUID: dict[str, Any] = {"format": "uuid", "examples": ["019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"]}
_ORDER_NUMBER: dict[str, Any] = {"description": "The merchant's own order number.", "examples": ["1001"]}
_INSTANT: dict[str, Any] = {"description": "ISO 8601, UTC, milliseconds.", "examples": ["2026-03-02T09:15:30.120Z"]}
_CUSTOMER_EMAIL: dict[str, Any] = {
    "description": "E-mail address of the customer. The invitation is sent there, and it serves nothing else.",
    "examples": ["anna@example.com"],
}
_REPORTED_NUMBER: dict[str, Any] = {
    **ORDER_NUMBER,
    "description": "The merchant's own order number. Blanks around it do not count.",
    "examples": ["1001"],
}
_INVITATION: dict[str, dict[str, Any]] = {
    "inviteId": _UUID,
    "orderNumber": _ORDER_NUMBER,
    "reason": {"description": "Why it is in this state."},
    "reportedAt": _INSTANT,
    "scheduledFor": _INSTANT,
    "changedAt": _INSTANT,
}

FIELDS: Mapping[type, Mapping[str, dict[str, Any]]] = {
    OrderReport: {
        "email": _CUSTOMER_EMAIL,
        "orderNumber": _REPORTED_NUMBER,
        "language": {"description": "Language of the invitation; the shop's own by default."},
        "delayDays": {
            "description": "Days until the invitation; the shop's own delay by default. Fractions count.",
            "examples": [5],
        },
    },
    SnippetReport: {
        "siteId": {
            "description": "The shop's public identifier, the same as in its badge. Not a secret.",
            "examples": ["bakkerij-de-molen"],
        },
        "email": _CUSTOMER_EMAIL,
        "orderNumber": _REPORTED_NUMBER,
    },
    NewReply: {
        "text": {
            "max_length": LONGEST_REPLY,
            "pattern": REPLY,
            "description": "With line breaks; an empty one removes the reply.",
            "examples": ["Dank u wel!"],
        }
    },
    Reported: {
        "inviteId": _UUID,
        "scheduledFor": {**_INSTANT, "description": "When the invitation is to be sent."},
        "duplicate": {"const": True, "description": "The order was reported before: this is its first invitation."},
    },
    ReviewRecord: {
        "reviewId": _UUID,
        "inviteId": {**_UUID, "description": "The invitation that it came from."},
        "orderNumber": _ORDER_NUMBER,
        "hiddenFor": {"description": "Why the service hid it. `text` and `author` are then null."},
        "rating": {
            "minimum": 1,
            "maximum": 5,
            "description": "Null once the review is withdrawn, like all that was written.",
            "examples": [5],
        },
        "text": {"max_length": LONGEST_TEXT, "examples": ["Snel geleverd, lekker brood."]},
        "author": {"max_length": LONGEST_AUTHOR, "examples": ["Anna"]},
        "writtenAt": _INSTANT,
        "editedAt": {"description": "When its writer last changed it."},
        "changedAt": {**_INSTANT, "description": "When anything of it last changed, which orders the pages."},
    },
    MerchantReviews: {
        "reviews": {"max_items": MOST_ON_A_PAGE},
        "cursor": {
            "description": "Where to continue, now or another day.",
            "examples": ["64bf5d4e1c2a0-019cadd4cbc873c19e5f0a94c27d3b86"],
        },
        "more": {"description": "Whether there is more already."},
    },
    Invitation: _INVITATION,
    InvitationRecord: {**_INVITATION, "history": {"min_items": 1}},
    MerchantInvitations: {
        "invitations": {"max_items": MOST_ON_A_PAGE},
        "cursor": {
            "pattern": f"^{INVITATION_CURSOR}$",
            "description": "Where the next page begins; null on the last one.",
        },
    },
    Change: {"reply": {"description": "The mail server's status code, or what kept us from it."}},
    Readiness: {
        "reason": {
            "enum": ["mark_ahead", "mark_missing", "mark_unreadable", "other_host_ahead"],
            "description": "Why deliveries are paused, if they are.",
        }
    },
    Rating: {"count": {"minimum": 0}, "mean": {"pattern": r"^[1-5]\.[0-9]{2}$"}},
    Signature: {"keyId": {"pattern": _BASE64URL}, "value": {"pattern": _BASE64URL}},
    PublicKey: {
        "x": {"pattern": "^[A-Za-z0-9_-]{43}$", "description": "The public key."},
        "kid": {"pattern": "^[A-Za-z0-9_-]{43}$", "description": "Its thumbprint (RFC 7638), a signature's `keyId`."},
    },
    KeySet: {"keys": {"min_items": 2}},
    ErrorBody: {
        "error": {"description": "A short description in Dutch."},
        "code": {"pattern": "^[a-z_]+$", "description": "Stable, for programs."},
        "field": {"description": "The first field that is wrong, with 422 if it is one."},
        "errors": {"description": "All that is wrong, with 422."},
    },
    FieldError: {
        "error": {"description": "A short description in Dutch."},
        "detail": {"description": "The same in English."},
    },
}
