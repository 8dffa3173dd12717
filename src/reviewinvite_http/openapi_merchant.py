"""What the OpenAPI description says of reviews and invitations as a merchant reads them. Spec: §4.6 to §4.11."""

from __future__ import annotations

from typing import Any

from reviewinvite_core import HideReason, Reason, ReviewState, State
from reviewinvite_core.domain.reviews import LONGEST_AUTHOR, LONGEST_REPLY, LONGEST_TEXT
from reviewinvite_http.openapi_parts import RETRY_AFTER, json_answer
from reviewinvite_http.wire_merchant import INVITATION_CURSOR, MOST_ON_A_PAGE, REVIEW_CURSOR

_INSTANT = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
    "description": "ISO 8601, UTC, milliseconds.",
    "examples": ["2026-03-02T09:15:30.120Z"],
}
_UUID = {"type": "string", "format": "uuid", "examples": ["019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"]}
_ORDER_NUMBER = {"type": ["string", "null"], "description": "The merchant's own.", "examples": ["1001"]}
_LANGUAGE = {"type": "string", "enum": ["nl", "en"]}
_DAYS_OF_A_YEAR = (
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_DAYS = "(19(7[26]|8[048]|9[26])|[23][0-9](0[48]|[2468][048]|[13579][26])|(2[048]|3[26])00)-02-29"
_SINCE = (
    f"^((19(7[1-9]|[89][0-9])|2[0-9]{{3}}|3[0-8][0-9]{{2}})-{_DAYS_OF_A_YEAR}|{_LEAP_DAYS})"
    r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$"
)


def _nullable(schema: dict[str, Any], **more: object) -> dict[str, Any]:
    return {**schema, "type": [schema["type"], "null"], **more}


def _object(properties: dict[str, Any], **more: object) -> dict[str, Any]:
    """An object that has exactly these fields."""
    return {
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
        **more,
    }


_REPLY = _object(
    {"text": {"type": "string", "maxLength": LONGEST_REPLY}, "repliedAt": _INSTANT},
    type=["object", "null"],
    description="What the shop says to it.",
)
_REVIEW = _object(
    {
        "reviewId": _UUID,
        "inviteId": {**_UUID, "description": "The invitation that it came from."},
        "orderNumber": _ORDER_NUMBER,
        "state": {"type": "string", "enum": list(ReviewState)},
        "hiddenFor": {
            "type": ["string", "null"],
            "enum": [*HideReason, None],
            "description": "Why the service hid it. Then neither text nor name is told.",
        },
        "rating": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 5,
            "description": "Null once it is withdrawn, as all that was written.",
            "examples": [5],
        },
        "text": {"type": ["string", "null"], "maxLength": LONGEST_TEXT, "examples": ["Snel geleverd, lekker brood."]},
        "author": {"type": ["string", "null"], "maxLength": LONGEST_AUTHOR, "examples": ["Anna"]},
        "language": _LANGUAGE,
        "writtenAt": _INSTANT,
        "editedAt": _nullable(_INSTANT, description="When its writer last changed it."),
        "changedAt": {**_INSTANT, "description": "When anything of it last changed; what pages go by."},
        "reply": _REPLY,
    },
    description="A review. Text, name and reply are what people wrote: escape them wherever they are shown.",
)
_OWN_INVITATION_FIELDS: dict[str, Any] = {
    "inviteId": _UUID,
    "orderNumber": _ORDER_NUMBER,
    "language": _LANGUAGE,
    "state": {"type": "string", "enum": list(State)},
    "reason": {"type": "string", "enum": list(Reason), "description": "Why it is in this state."},
    "reportedAt": _INSTANT,
    "scheduledFor": _INSTANT,
    "changedAt": _INSTANT,
}
_CHANGE = _object(
    {
        "state": {"type": "string", "enum": list(State)},
        "reason": {"type": "string", "enum": list(Reason)},
        "at": _INSTANT,
        "reply": {"type": ["string", "null"], "description": "The mail server's status code, or what kept us from it."},
    }
)

MERCHANT_SCHEMAS: dict[str, Any] = {
    "Review": _REVIEW,
    "ReviewPage": _object(
        {
            "reviews": {"type": "array", "maxItems": MOST_ON_A_PAGE, "items": {"$ref": "#/components/schemas/Review"}},
            "cursor": {
                "type": "string",
                "pattern": f"^{REVIEW_CURSOR}$",
                "description": "Where to go on from, now or another day.",
                "examples": ["64bf5d4e1c2a0-019cadd4cbc873c19e5f0a94c27d3b86"],
            },
            "more": {"type": "boolean", "description": "Whether there is more already."},
        }
    ),
    "NewReply": _object(
        {
            "text": {
                "type": "string",
                "maxLength": LONGEST_REPLY,
                "pattern": r"^[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*$",
                "description": "With line breaks; an empty one takes the reply away.",
                "examples": ["Dank u wel!"],
            }
        }
    ),
    "OwnInvitation": _object(_OWN_INVITATION_FIELDS),
    "OwnInvitationWithHistory": _object(
        {**_OWN_INVITATION_FIELDS, "history": {"type": "array", "minItems": 1, "items": _CHANGE}},
        description="An invitation. Whom it is for is not told.",
    ),
    "InvitationPage": _object(
        {
            "invitations": {
                "type": "array",
                "maxItems": MOST_ON_A_PAGE,
                "items": {"$ref": "#/components/schemas/OwnInvitation"},
            },
            "cursor": {
                "type": ["string", "null"],
                "pattern": f"^{INVITATION_CURSOR}$",
                "description": "Where the next page begins; null on the last one.",
            },
        }
    ),
    "Nothing": {"type": "object", "additionalProperties": False, "maxProperties": 0},
}

_ID = {"in": "path", "required": True, "schema": _UUID}
_LIMIT = {
    "name": "limit",
    "in": "query",
    "description": "At most so many on a page.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MOST_ON_A_PAGE, "default": 50},
}


def _cursor(pattern: str, description: str) -> dict[str, Any]:
    return {
        "name": "cursor",
        "in": "query",
        "description": description,
        "schema": {"type": "string", "pattern": f"^{pattern}$"},
    }


_ANY = {
    "400": json_answer("Error", "The request is not HTTP."),
    "401": json_answer(
        "Error",
        "The key is missing, invalid or revoked.",
        {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
    ),
    "408": json_answer("Error", "The request did not arrive within 10 seconds."),
    "422": json_answer("Error", "The request is invalid; `field` names where."),
    "429": json_answer("Error", "The key's limit a minute is reached.", RETRY_AFTER),
    "431": json_answer("Error", "The head of the request is larger than 64 KiB."),
    "500": json_answer("Error", "A failure on our side. Retrying is safe."),
    "503": json_answer("Error", "Storage is busy, full or away. Retrying is safe.", RETRY_AFTER),
}
_OF_ONE_READ = {status: each for status, each in _ANY.items() if status != "422"}
_CHANGING = {
    **_ANY,
    "403": json_answer("Error", "The shop is not active."),
    "413": json_answer("Error", "The body is larger than 16 KiB."),
    "415": json_answer("Error", "The body is not application/json."),
}
_SECURITY: list[dict[str, list[str]]] = [{"apiKey": []}]

MERCHANT_PATHS: dict[str, Any] = {
    "/v1/reviews": {
        "get": {
            "operationId": "listReviews",
            "summary": "What changed of the shop's reviews",
            "description": (
                "The one changed longest ago comes first, in any state. Who goes on from the cursor of the last page "
                "misses no change, however much is written meanwhile."
            ),
            "security": _SECURITY,
            "parameters": [
                _cursor(REVIEW_CURSOR, "Go on from here; a `since` beside it is checked, and does not matter."),
                _LIMIT,
                {
                    "name": "since",
                    "in": "query",
                    "description": (
                        "Only what changed at this instant or later: a day (UTC), or a day and time with a zone."
                    ),
                    "schema": {"type": "string", "pattern": _SINCE, "examples": ["2026-03-02T00:00:00Z"]},
                },
            ],
            "responses": {"200": json_answer("ReviewPage", "A page, which may be empty."), **_ANY},
        }
    },
    "/v1/reviews/{reviewId}/reply": {
        "post": {
            "operationId": "replyToReview",
            "summary": "Reply to a review",
            "description": "It takes the place of any reply before it; the same once more changes nothing.",
            "security": _SECURITY,
            "parameters": [{"name": "reviewId", **_ID}],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewReply"}}},
            },
            "responses": {
                "200": json_answer("Review", "The review, with the reply."),
                "404": json_answer("Error", "There is no such review, or it is another shop's."),
                "409": json_answer("Error", "The review is hidden or withdrawn, and takes no reply."),
                **_CHANGING,
            },
        }
    },
    "/v1/invitations": {
        "get": {
            "operationId": "listInvitations",
            "summary": "The shop's invitations, the newest first",
            "security": _SECURITY,
            "parameters": [
                _cursor(INVITATION_CURSOR, "Go on from here."),
                _LIMIT,
                {
                    "name": "orderNumber",
                    "in": "query",
                    "description": "Only those of this order number.",
                    "schema": {"$ref": "#/components/schemas/OrderReport/properties/orderNumber"},
                },
            ],
            "responses": {"200": json_answer("InvitationPage", "A page, which may be empty."), **_ANY},
        }
    },
    "/v1/invitations/{inviteId}": {
        "get": {
            "operationId": "showInvitation",
            "summary": "One invitation with its history",
            "security": _SECURITY,
            "parameters": [{"name": "inviteId", **_ID}],
            "responses": {
                "200": json_answer("OwnInvitationWithHistory", "The invitation."),
                "404": json_answer("Error", "There is no such invitation, or it is another shop's."),
                **_OF_ONE_READ,
            },
        }
    },
    "/v1/invitations/{inviteId}/cancel": {
        "post": {
            "operationId": "cancelInvitation",
            "summary": "Withdraw an invitation before it is handed over",
            "description": "For an order that was refunded, say. The same once more changes nothing.",
            "security": _SECURITY,
            "parameters": [{"name": "inviteId", **_ID}],
            "requestBody": {
                "required": False,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Nothing"}}},
            },
            "responses": {
                "200": json_answer("OwnInvitationWithHistory", "It is cancelled, and nothing goes out."),
                "404": json_answer("Error", "There is no such invitation, or it is another shop's."),
                "409": json_answer("Error", "It is too late: it was handed over, or came to another end."),
                **_CHANGING,
            },
        }
    },
}
