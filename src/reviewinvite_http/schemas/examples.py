"""Examples of request and response bodies for OpenAPI, by the class that is described. Spec: §4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewinvite_core import NewReply, OrderReport, Reported, SnippetReport
from reviewinvite_core.values import (
    Acknowledged,
    BadgeLook,
    Domain,
    InvitationRecord,
    MerchantReviews,
    ReviewRecord,
    Shop,
)
from reviewinvite_core.wire.json_converter import NoFields
from reviewinvite_http.schemas.health import Health, Readiness
from reviewinvite_http.schemas.invitations import MerchantInvitations
from reviewinvite_http.schemas.shops import CheckedDomain, MerchantDomains, NewBadge, NewDomain, SettingsUpdate
from reviewinvite_http.schemas.statements import KeySet, SignedStatement

_REPORTED = {"inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86", "scheduledFor": "2026-03-07T09:15:30.120Z"}
_INVITATION = {
    "inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    "orderNumber": "1001",
    "source": "api",
    "confirmed": True,
    "language": "nl",
    "state": "scheduled",
    "reason": "reported",
    "reportedAt": "2026-03-02T09:15:30.120Z",
    "scheduledFor": "2026-03-07T09:15:30.120Z",
    "changedAt": "2026-03-02T09:15:30.120Z",
}
_REVIEW = {
    "reviewId": "019cb0a7-5e21-7d44-9f0b-6a1c83e5d702",
    "inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86",
    "orderNumber": "1001",
    "source": "api",
    "confirmed": True,
    "state": "published",
    "hiddenFor": None,
    "rating": 5,
    "text": "Snel geleverd, lekker brood.",
    "author": "Anna",
    "language": "nl",
    "writtenAt": "2026-03-08T18:20:11.004Z",
    "editedAt": None,
    "changedAt": "2026-03-09T08:00:40.250Z",
    "reply": {"text": "Dank u wel!", "repliedAt": "2026-03-09T08:00:40.250Z"},
}
_DOMAIN = {
    "host": "example.nl",
    "standing": "unproved",
    "verified": False,
    "txtName": "_reviewinvite.example.nl",
    "fileUrl": "https://example.nl/.well-known/reviewinvite.txt",
    "proof": "reviewinvite-verification=mfrggzdfmztwq2lknnwg23tpobyxe43u",
    "addedAt": "2026-03-02T09:15:00.000Z",
    "verifiedAt": None,
    "checkedAt": None,
    "missingSince": None,
    "lostAt": None,
}

EXAMPLES: Mapping[type, Mapping[str, Any]] = {
    OrderReport: {"email": "anna@example.com", "orderNumber": "1001", "language": "nl", "delayDays": 5},
    SnippetReport: {"siteId": "bakkerij-de-molen", "email": "anna@example.com", "orderNumber": "1001"},
    Reported: _REPORTED,
    Acknowledged: {"ok": True},
    MerchantReviews: {"reviews": [_REVIEW], "cursor": "64c9a3d8d3a8a-019cb0a75e217d449f0b6a1c83e5d702", "more": False},
    ReviewRecord: _REVIEW,
    NewReply: {"text": "Dank u wel!"},
    MerchantInvitations: {"invitations": [_INVITATION], "cursor": "019cadd4cbc873c19e5f0a94c27d3b86", "more": True},
    InvitationRecord: {
        **_INVITATION,
        "history": [{"state": "scheduled", "reason": "reported", "at": "2026-03-02T09:15:30.120Z", "reply": None}],
    },
    NoFields: {},
    Shop: {
        "siteId": "bakkerij-de-molen",
        "name": "Bakkerij De Molen",
        "active": True,
        "language": "nl",
        "delayDays": 5,
        "frequencyDays": 0,
        "snippet": "open",
        "trustMark": "granted",
    },
    SettingsUpdate: {"delayDays": 7},
    BadgeLook: {"theme": "auto", "size": "medium", "language": "en"},
    NewBadge: {"theme": "auto", "size": "medium", "language": "en"},
    MerchantDomains: {"domains": [_DOMAIN]},
    NewDomain: {"host": "example.nl"},
    Domain: _DOMAIN,
    CheckedDomain: {
        **_DOMAIN,
        "checkedAt": "2026-03-02T09:16:00.000Z",
        "found": None,
        "absences": [{"way": "dns", "reason": "no_record"}, {"way": "well_known", "reason": "no_answer"}],
    },
    SignedStatement: {
        "statement": {
            "type": "reviewinvite/statement/v1",
            "siteId": "bakkerij-de-molen",
            "name": "Bakkerij De Molen",
            "domains": ["example.nl"],
            "status": "trusted",
            "rating": {"count": 128, "mean": "4.63"},
            "issuedAt": "2026-03-02T09:15:00.000Z",
            "expiresAt": "2026-03-02T09:25:00.000Z",
        },
        "signature": {
            "keyId": "qqvw41GI5GeumwkLtLegxDvEyFEE5RBeSncJSY0kkeA",
            "algorithm": "Ed25519",
            "value": "MWNOjZn6yIoqu6AE1--j7TU3oepjRKgX6H1yrHwwr45Km42i7TPoq9Fq7PvuArvAWRLHPZEm7kKhGXjYLdv8CQ",
        },
    },
    KeySet: {
        "keys": [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "x": "_XxlikJItOdL1ZCRYOm6OlP3fzAarvelXA29hfkk894",
                "kid": "qqvw41GI5GeumwkLtLegxDvEyFEE5RBeSncJSY0kkeA",
            },
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "x": "d5nHWvJps7htecUwyGq3jalWgzkL7Ad8QYPEsjW8jZ4",
                "kid": "zE5tO6b4LXAg19H457BmPpv7YqUODiCr5gxqRbPGNCI",
            },
        ]
    },
    Health: {"status": "ok"},
    Readiness: {
        "status": "ready",
        "storage": {"engine": "postgresql", "connections": {"open": 4, "inUse": 1, "waiting": 0}},
        "delivery": "running",
    },
}
"""One example of each body; the statement's signature can be verified with the first key."""
