"""The OpenAPI description, written by hand: it says exactly what the code does, and a fuzzer holds it to that."""

from __future__ import annotations

from typing import Any

from reviewinvite_core import __version__
from reviewinvite_core.domain.orders import LONGEST_ORDER_NUMBER
from reviewinvite_core.domain.shop import LONGEST_SITE_ID
from reviewinvite_core.domain.timing import LONGEST_DELAY_DAYS
from reviewinvite_http.cors import TO_REPORT
from reviewinvite_http.openapi_merchant import MERCHANT_PATHS, MERCHANT_SCHEMAS
from reviewinvite_http.openapi_parts import RETRY_AFTER, json_answer
from reviewinvite_http.openapi_verification import KEY_SET, PUBLIC_KEYS, SIGNED_STATEMENT, VERIFICATION

# No quoted local part, no address literal, and no domain that is reserved, which no mail can reach.
_ADDRESS = (
    r"^[ \t]*[^\s@\"(),:;<>\[\]\\]+@([^\s@.\[\]]+\.)+"
    r"(?!(arpa|invalid|local|localhost|onion|test|[0-9]+)[ \t]*$)[^\s@.\[\]]+[ \t]*$"
)

_FORBIDDEN = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_BLANK = r" \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"

_ORDER_REPORT: dict[str, Any] = {
    "type": "object",
    "description": "A completed order. Send no more than this: unknown fields are refused.",
    "required": ["email"],
    "additionalProperties": False,
    "properties": {
        "email": {
            "type": "string",
            "format": "email",
            "maxLength": 254,
            "pattern": _ADDRESS,
            "description": "E-mail address of the customer. The invitation is sent there, and it serves nothing else.",
            "examples": ["anna@example.com"],
        },
        "orderNumber": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_ORDER_NUMBER,
            "pattern": f"^[^{_FORBIDDEN}]*[^{_FORBIDDEN}{_BLANK}][^{_FORBIDDEN}]*$",
            "description": "The merchant's own order number. Blanks around it do not count.",
            "examples": ["1001"],
        },
        "language": {
            "type": "string",
            "enum": ["nl", "en"],
            "description": "Language of the invitation; the shop's own where it is left out.",
        },
        "delayDays": {
            "type": "number",
            "minimum": 0,
            "maximum": LONGEST_DELAY_DAYS,
            "description": "Days until the invitation; the shop's own delay where it is left out. Fractions count.",
            "examples": [5],
        },
    },
}

_SNIPPET_REPORT: dict[str, Any] = {
    "type": "object",
    "description": "A completed order as a browser tells of it. Send no more than this: unknown fields are refused.",
    "required": ["siteId", "email"],
    "additionalProperties": False,
    "properties": {
        "siteId": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_SITE_ID,
            "pattern": "^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$",
            "description": "The shop's public identifier, the same as in its badge. Not a secret.",
            "examples": ["bakkerij-de-molen"],
        },
        "email": _ORDER_REPORT["properties"]["email"],
        "orderNumber": _ORDER_REPORT["properties"]["orderNumber"],
    },
}

_INVITATION: dict[str, Any] = {
    "type": "object",
    "required": ["inviteId", "scheduledFor"],
    "additionalProperties": False,
    "properties": {
        "inviteId": {"type": "string", "format": "uuid"},
        "scheduledFor": {
            "type": "string",
            "format": "date-time",
            "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$",
            "description": "When the invitation is to be sent: ISO 8601, UTC, milliseconds.",
        },
    },
}

_DUPLICATE: dict[str, Any] = {
    **_INVITATION,
    "required": ["inviteId", "scheduledFor", "duplicate"],
    "properties": {**_INVITATION["properties"], "duplicate": {"type": "boolean", "const": True}},
}

_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error", "code", "requestId"],
    "additionalProperties": False,
    "properties": {
        "error": {"type": "string", "description": "A short description in Dutch."},
        "code": {"type": "string", "pattern": "^[a-z_]+$", "description": "Stable, for programs."},
        "requestId": {"type": "string"},
        "field": {"type": "string", "description": "The field that is wrong, with 422 where there is one."},
    },
}

_FOR_PAGES = {
    "Access-Control-Allow-Origin": {"required": True, "schema": {"type": "string", "const": "*"}},
    "Access-Control-Expose-Headers": {"required": True, "schema": {"type": "string", "const": "Retry-After"}},
}


_ACKNOWLEDGEMENT = {
    "type": "object",
    "required": ["ok"],
    "additionalProperties": False,
    "properties": {"ok": {"type": "boolean", "const": True}},
}

_STATUS = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}

_READINESS = {
    "type": "object",
    "required": ["status", "storage", "delivery"],
    "additionalProperties": False,
    "properties": {
        "status": {"type": "string", "const": "ready"},
        "delivery": {"type": "string", "enum": ["running", "paused", "stopped", "off"]},
        "reason": {
            "type": "string",
            "description": "Why deliveries are paused, where they are.",
            "enum": ["mark_ahead", "mark_missing", "mark_unreadable", "other_host_ahead"],
        },
        "storage": {
            "type": "object",
            "required": ["engine"],
            "additionalProperties": False,
            "properties": {
                "engine": {"type": "string", "enum": ["memory", "sqlite", "postgresql"]},
                "connections": {
                    "type": "object",
                    "description": "The pool of this process, where the engine has one.",
                    "required": ["open", "inUse", "waiting"],
                    "additionalProperties": False,
                    "properties": {
                        "open": {"type": "integer", "minimum": 0, "description": "Connections that are open."},
                        "inUse": {"type": "integer", "minimum": 0, "description": "How many of them are in use."},
                        "waiting": {"type": "integer", "minimum": 0, "description": "How much waits for one."},
                    },
                },
            },
        },
    },
}

DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "reviewinvite",
        "version": __version__,
        "description": "Report an order; days later its customer gets exactly one invitation to review it.",
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/"}],
    "paths": {
        "/v1/orders": {
            "post": {
                "operationId": "reportOrder",
                "summary": "Report a completed order and schedule its invitation",
                "description": "Reporting the same order again gives the same invitation, so retrying is safe.",
                "security": [{"apiKey": []}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/OrderReport"}}},
                },
                "responses": {
                    "200": json_answer("DuplicateInvitation", "The order was reported before: its first invitation."),
                    "201": json_answer("Invitation", "A new order: its invitation is scheduled."),
                    "400": json_answer("Error", "The request is not HTTP."),
                    "401": json_answer(
                        "Error",
                        "The key is missing, invalid or revoked.",
                        {"WWW-Authenticate": {"required": True, "schema": {"type": "string", "const": "Bearer"}}},
                    ),
                    "403": json_answer("Error", "The shop is not active."),
                    "408": json_answer("Error", "The request did not arrive within 10 seconds."),
                    "413": json_answer("Error", "The body is larger than 16 KiB."),
                    "415": json_answer("Error", "The body is not application/json."),
                    "422": json_answer("Error", "The body is invalid; `field` names where."),
                    "429": json_answer("Error", "The key's limit a minute is reached.", RETRY_AFTER),
                    "431": json_answer("Error", "The head of the request is larger than 64 KiB."),
                    "500": json_answer("Error", "A failure on our side. Retrying is safe."),
                    "503": json_answer("Error", "Storage is busy, full or away. Retrying is safe.", RETRY_AFTER),
                },
            }
        },
        "/v1/orders/snippet": {
            "post": {
                "operationId": "reportOrderFromBrowser",
                "summary": "Report a completed order from the customer's browser",
                "description": (
                    "No key: the Origin has to be a verified domain of the shop. The answer to a new order, a repeat "
                    "and a report that is forgotten is the same."
                ),
                "security": [],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SnippetReport"}}},
                },
                "responses": {
                    "202": json_answer("Acknowledgement", "The report was accepted.", _FOR_PAGES),
                    "400": json_answer("Error", "The request is not HTTP.", _FOR_PAGES),
                    "403": json_answer("Error", "No origin of this shop's, or the shop is not active.", _FOR_PAGES),
                    "408": json_answer("Error", "The request did not arrive within 10 seconds.", _FOR_PAGES),
                    "413": json_answer("Error", "The body is larger than 16 KiB.", _FOR_PAGES),
                    "415": json_answer("Error", "The body is not application/json.", _FOR_PAGES),
                    "422": json_answer("Error", "The body is invalid; `field` names where.", _FOR_PAGES),
                    "429": json_answer(
                        "Error", "A limit of the client's address or of the shop is reached.", _FOR_PAGES | RETRY_AFTER
                    ),
                    "431": json_answer("Error", "The head of the request is larger than 64 KiB.", _FOR_PAGES),
                    "500": json_answer("Error", "A failure on our side. Retrying is safe.", _FOR_PAGES),
                    "503": json_answer(
                        "Error", "Storage is busy, full or away. Retrying is safe.", _FOR_PAGES | RETRY_AFTER
                    ),
                },
            },
            "options": {
                "operationId": "preflight",
                "summary": "What browsers ask before they report",
                "description": "The answer is the same for any origin.",
                "security": [],
                "responses": {
                    "204": {
                        "description": "Pages of any origin may report.",
                        "headers": _FOR_PAGES
                        | {
                            name: {"required": True, "schema": {"type": "string", "const": value}}
                            for name, value in TO_REPORT.items()
                        },
                    }
                },
            },
        },
        **MERCHANT_PATHS,
        "/v1/verify/{siteId}": VERIFICATION,
        "/v1/badge/public-keys": PUBLIC_KEYS,
        "/healthz": {
            "get": {
                "operationId": "health",
                "summary": "Whether the process answers",
                "security": [],
                "responses": {"200": json_answer("Status", "It does.")},
            }
        },
        "/readyz": {
            "get": {
                "operationId": "readiness",
                "summary": "Whether storage, its schema and the keys are in order",
                "security": [],
                "responses": {
                    "200": json_answer("Readiness", "They are; and how storage is."),
                    "503": json_answer("Error", "They are not.", RETRY_AFTER),
                },
            }
        },
    },
    "components": {
        "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "OrderReport": _ORDER_REPORT,
            "SnippetReport": _SNIPPET_REPORT,
            "Acknowledgement": _ACKNOWLEDGEMENT,
            "Invitation": _INVITATION,
            "DuplicateInvitation": _DUPLICATE,
            "Error": _ERROR,
            "SignedStatement": SIGNED_STATEMENT,
            "KeySet": KEY_SET,
            "Status": _STATUS,
            "Readiness": _READINESS,
            **MERCHANT_SCHEMAS,
        },
    },
}
