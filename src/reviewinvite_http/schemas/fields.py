"""Descriptions of fields beyond their types for OpenAPI: meaning, examples, exact bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewinvite_core import NewReply, OrderReport, Reported, SnippetReport
from reviewinvite_core.domain.frequency import LONGEST_FREQUENCY_DAYS
from reviewinvite_core.domain.invitations import Change
from reviewinvite_core.domain.reviews import LONGEST_AUTHOR, LONGEST_REPLY, LONGEST_TEXT
from reviewinvite_core.values import (
    BadgeLook,
    Domain,
    Invitation,
    InvitationRecord,
    MerchantReviews,
    ReviewRecord,
    Shop,
)
from reviewinvite_http.schemas.errors import ErrorBody, FieldError
from reviewinvite_http.schemas.health import Readiness
from reviewinvite_http.schemas.invitations import MerchantInvitations
from reviewinvite_http.schemas.parameters import MOST_ON_A_PAGE
from reviewinvite_http.schemas.patterns import INVITATION_CURSOR, REPLY, REPORTED_NUMBER
from reviewinvite_http.schemas.shops import CheckedDomain, NewBadge, NewDomain, SettingsUpdate
from reviewinvite_http.schemas.statements import KeySet, PublicKey, Rating, Signature

_BASE64URL = "^[A-Za-z0-9_-]+$"
_UUID: dict[str, Any] = {"format": "uuid", "examples": ["019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"]}
_ORDER_NUMBER: dict[str, Any] = {"description": "The order number of the shop.", "examples": ["1001"]}
_INSTANT: dict[str, Any] = {"description": "ISO 8601, UTC, milliseconds.", "examples": ["2026-03-02T09:15:30.120Z"]}
_CUSTOMER_EMAIL: dict[str, Any] = {
    "description": "The customer's e-mail address, used only to send the invitation.",
    "examples": ["anna@example.com"],
}
_REPORTED_NUMBER: dict[str, Any] = {
    **REPORTED_NUMBER,
    "description": "The order number of the shop. Blanks around it are ignored, and an empty one counts as none.",
    "examples": ["1001"],
}
_SOURCE: dict[str, Any] = {"description": "Where the order was first reported.", "examples": ["api"]}
_CONFIRMED = "Whether anything but an open snippet reported the order, before its review was first written."
_INVITATION: dict[str, dict[str, Any]] = {
    "inviteId": _UUID,
    "orderNumber": _ORDER_NUMBER,
    "source": _SOURCE,
    "confirmed": {"description": _CONFIRMED},
    "reason": {"description": "Why the invitation is in this state."},
    "reportedAt": _INSTANT,
    "scheduledFor": _INSTANT,
    "changedAt": _INSTANT,
}
_LANGUAGE: dict[str, Any] = {"description": "Language of invitations, unless an order names another."}
_DELAY: dict[str, Any] = {
    "description": "Days until an invitation is due, with fractions, unless an order names another delay.",
    "examples": [5],
}
_FREQUENCY: dict[str, Any] = {
    "minimum": 0,
    "maximum": LONGEST_FREQUENCY_DAYS,
    "description": "One address is invited at most once in this many days; 0 means once for each order.",
    "examples": [0],
}
_SNIPPET: dict[str, Any] = {
    "description": "Which orders are accepted from web pages: all, those with a correct signature, or none."
}
_HOST: dict[str, Any] = {
    "description": "The host name, without https://, port or path. Without `www.` it also covers the one with `www.`.",
    "examples": ["example.nl"],
}
_DOMAIN: dict[str, dict[str, Any]] = {
    "host": _HOST,
    "standing": {"description": "Whether the host is verified, and if not, why."},
    "txtName": {"description": "Name of the TXT record that may hold the proof."},
    "fileUrl": {"description": "Address of the file that may hold the proof, as a line of its own."},
    "proof": {"description": "The proof to publish, in one of the two places."},
    "missingSince": {"description": "Since when checks have found no proof of a verified host."},
    "lostAt": {"description": "When the host lost its verification."},
}
_BADGE: dict[str, dict[str, Any]] = {
    "theme": {"description": "Colours; `auto` follows the visitor's device."},
    "language": {"description": "Language of the badge. Without it, the badge has the shop's language."},
}

DESCRIPTIONS: Mapping[type, str] = {
    OrderReport: "A completed order.",
    NewReply: "A reply to a review.",
    ReviewRecord: "A customer's review of an order.",
    MerchantReviews: "A page of the shop's reviews, the least recently changed first.",
    Invitation: "An invitation to review an order.",
    InvitationRecord: "An invitation to review an order, with the changes of its state, the oldest first.",
    MerchantInvitations: "A page of the shop's invitations, the most recently reported first.",
    Shop: "The shop and its settings.",
    BadgeLook: "Appearance of the badge.",
    Domain: "A domain of the shop, with the proof to publish.",
    CheckedDomain: "A domain after its check: where the proof was found, or why it was found in neither place.",
}
"""What a class is for the users of the API, if that is not the first line of its docstring."""

FIELDS: Mapping[type, Mapping[str, dict[str, Any]]] = {
    OrderReport: {
        "email": _CUSTOMER_EMAIL,
        "orderNumber": _REPORTED_NUMBER,
        "language": {"description": "Language of the invitation. Defaults to the shop's language."},
        "delayDays": {
            "description": "Days until the invitation is due, with fractions. Defaults to the shop's delay.",
            "examples": [5],
        },
    },
    SnippetReport: {
        "siteId": {
            "description": "The shop's public identifier, as in its badge. It is not a secret.",
            "examples": ["bakkerij-de-molen"],
        },
        "email": _CUSTOMER_EMAIL,
        "orderNumber": _REPORTED_NUMBER,
        "signature": {
            "description": "Hex of HMAC-SHA256 over `v1`, `siteId`, `email` and `orderNumber`, joined by line feeds.",
            "examples": ["b0ee8b5b1b5c4d7a7a1f4d4a0a1f1c5dd6c0dbb7f6ad2a3d3a2d8d3c0d1d8f3e"],
        },
    },
    NewReply: {
        "text": {
            "max_length": LONGEST_REPLY,
            "pattern": REPLY,
            "description": "The reply, which may contain line breaks. An empty text removes the reply.",
            "examples": ["Dank u wel!"],
        }
    },
    SettingsUpdate: {"language": _LANGUAGE, "delayDays": _DELAY, "frequencyDays": _FREQUENCY, "snippet": _SNIPPET},
    NewDomain: {"host": _HOST},
    NewBadge: _BADGE,
    BadgeLook: _BADGE,
    Shop: {
        "name": {"examples": ["Bakkerij De Molen"]},
        "active": {"description": "Whether orders are accepted and invitations sent."},
        "language": _LANGUAGE,
        "delayDays": _DELAY,
        "frequencyDays": _FREQUENCY,
        "snippet": _SNIPPET,
    },
    Domain: _DOMAIN,
    CheckedDomain: {**_DOMAIN, "found": {"description": "Where the proof was found, if anywhere."}},
    Reported: {
        "inviteId": _UUID,
        "scheduledFor": {**_INSTANT, "description": "When the invitation is due."},
        "duplicate": {"const": True, "description": "Present if the order was reported before."},
    },
    ReviewRecord: {
        "reviewId": _UUID,
        "inviteId": {**_UUID, "description": "The invitation that led to the review."},
        "orderNumber": _ORDER_NUMBER,
        "source": _SOURCE,
        "confirmed": {"description": _CONFIRMED},
        "hiddenFor": {"description": "Why the service hid the review. `text` and `author` are then null."},
        "rating": {
            "minimum": 1,
            "maximum": 5,
            "description": "Null once the review is withdrawn, as are `text` and `author`.",
            "examples": [5],
        },
        "text": {"max_length": LONGEST_TEXT, "examples": ["Snel geleverd, lekker brood."]},
        "author": {"max_length": LONGEST_AUTHOR, "examples": ["Anna"]},
        "writtenAt": _INSTANT,
        "editedAt": {"description": "When the customer last changed the review."},
        "changedAt": {**_INSTANT, "description": "When any part of the review last changed. Pages are in this order."},
    },
    MerchantReviews: {
        "reviews": {"max_items": MOST_ON_A_PAGE},
        "cursor": {
            "description": "Cursor of the next page. Store it to continue now or later.",
            "examples": ["64bf5d4e1c2a0-019cadd4cbc873c19e5f0a94c27d3b86"],
        },
        "more": {"description": "Whether more reviews are available now."},
    },
    Invitation: _INVITATION,
    InvitationRecord: {**_INVITATION, "history": {"min_items": 1}},
    MerchantInvitations: {
        "invitations": {"max_items": MOST_ON_A_PAGE},
        "cursor": {
            "pattern": f"^{INVITATION_CURSOR}$",
            "description": "Cursor of the next page, or null on the last page.",
        },
        "more": {"description": "Whether more invitations are available now."},
    },
    Change: {"reply": {"description": "The mail server's status code, or the name of the error, if any."}},
    Readiness: {
        "reason": {
            "enum": ["mark_ahead", "mark_missing", "mark_unreadable", "other_host_ahead"],
            "description": "Why deliveries are paused. Absent unless they are.",
        }
    },
    Rating: {"count": {"minimum": 0}, "mean": {"pattern": r"^[1-5]\.[0-9]{2}$"}},
    Signature: {"keyId": {"pattern": _BASE64URL}, "value": {"pattern": _BASE64URL}},
    PublicKey: {
        "x": {"pattern": "^[A-Za-z0-9_-]{43}$", "description": "The public key."},
        "kid": {"pattern": "^[A-Za-z0-9_-]{43}$", "description": "The key's thumbprint (RFC 7638), as in `keyId`."},
    },
    KeySet: {"keys": {"min_items": 2}},
    ErrorBody: {
        "error": {"description": "A short description in Dutch."},
        "code": {"pattern": "^[a-z_]+$", "description": "Stable error code for programs."},
        "field": {"description": "With 422: the first field that is wrong, if any."},
        "type": {"format": "uri", "description": "Address of the explanation of `code` (RFC 9457)."},
        "title": {"description": "What `code` means, in English (RFC 9457)."},
        "status": {"minimum": 400, "maximum": 599, "description": "The status of the response (RFC 9457)."},
        "detail": {"description": "The description in English (RFC 9457)."},
        "errors": {"min_items": 1, "description": "Every problem with the request; the first is the one above."},
    },
    FieldError: {
        "field": {"description": "The field, or null if no single field is wrong."},
        "code": {"pattern": "^[a-z_]+$"},
        "error": {"description": "A short description in Dutch."},
        "detail": {"description": "The same description in English."},
    },
}
