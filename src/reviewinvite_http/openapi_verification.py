"""The part of the OpenAPI description that verification is in. Spec: §4.4, §4.5."""

from __future__ import annotations

from typing import Any

from reviewinvite_core import Status
from reviewinvite_core.domain.statements import TYPE
from reviewinvite_http.openapi_parts import RETRY_AFTER, json_answer

_INSTANT = {"type": "string", "format": "date-time"}
_BASE64URL = "^[A-Za-z0-9_-]+$"

SIGNED_STATEMENT: dict[str, Any] = {
    "type": "object",
    "required": ["statement", "signature"],
    "additionalProperties": False,
    "properties": {
        "statement": {
            "type": "object",
            "required": ["type", "siteId", "name", "domains", "status", "rating", "issuedAt", "expiresAt"],
            "additionalProperties": False,
            "properties": {
                "type": {"type": "string", "const": TYPE},
                "siteId": {"type": "string"},
                "name": {"type": "string"},
                "domains": {"type": "array", "items": {"type": "string"}},
                "status": {"type": "string", "enum": [status.value for status in Status]},
                "rating": {
                    "type": "object",
                    "required": ["count", "mean"],
                    "additionalProperties": False,
                    "properties": {
                        "count": {"type": "integer", "minimum": 0},
                        "mean": {"type": ["string", "null"], "pattern": r"^[1-5]\.[0-9]{2}$"},
                    },
                },
                "issuedAt": _INSTANT,
                "expiresAt": _INSTANT,
            },
        },
        "signature": {
            "type": "object",
            "required": ["keyId", "algorithm", "value"],
            "additionalProperties": False,
            "properties": {
                "keyId": {"type": "string", "pattern": _BASE64URL},
                "algorithm": {"type": "string", "const": "Ed25519"},
                "value": {
                    "type": "string",
                    "pattern": _BASE64URL,
                    "description": "The signature over the canonical bytes (RFC 8785) of `statement`.",
                },
            },
        },
    },
}

KEY_SET: dict[str, Any] = {
    "type": "object",
    "required": ["keys"],
    "additionalProperties": False,
    "properties": {
        "keys": {
            "type": "array",
            "minItems": 2,
            "items": {
                "type": "object",
                "required": ["kty", "crv", "x", "kid"],
                "additionalProperties": False,
                "properties": {
                    "kty": {"type": "string", "const": "OKP"},
                    "crv": {"type": "string", "const": "Ed25519"},
                    "x": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$", "description": "The public key."},
                    "kid": {
                        "type": "string",
                        "pattern": "^[A-Za-z0-9_-]{43}$",
                        "description": "Its thumbprint (RFC 7638), the `keyId` of a signature.",
                    },
                },
            },
        }
    },
}

_ANY_TEXT = {"required": True, "schema": {"type": "string"}}
_FOR_PAGES: dict[str, Any] = {
    "Access-Control-Allow-Origin": {"required": True, "schema": {"type": "string", "const": "*"}},
    "Access-Control-Expose-Headers": {"required": True, "schema": {"type": "string", "const": "ETag, Retry-After"}},
}
_KEPT = {**_FOR_PAGES, "ETag": _ANY_TEXT, "Cache-Control": _ANY_TEXT}


def _error(description: str, headers: dict[str, Any] | None = None) -> dict[str, Any]:
    return json_answer("Error", description, {**_FOR_PAGES, **(headers or {})})


VERIFICATION: dict[str, Any] = {
    "get": {
        "operationId": "verify",
        "summary": "The signed statement about a shop",
        "description": "It takes one of the shop's views of the day, also where the answer is 304.",
        "security": [],
        "parameters": [
            {
                "name": "siteId",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "minLength": 1},
                "description": "The shop's public identifier.",
            }
        ],
        "responses": {
            "200": {
                "description": "The statement; as a compact JWS for who would rather have application/jose.",
                "content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/SignedStatement"}},
                    "application/jose": {"schema": {"type": "string"}},
                },
                "headers": {**_KEPT, "Vary": _ANY_TEXT},
            },
            "304": {"description": "It is that of the tag in If-None-Match.", "headers": {**_KEPT, "Vary": _ANY_TEXT}},
            "404": _error("There is no such shop."),
            "429": _error("The day's views are used up, until 00:00 UTC.", RETRY_AFTER),
            "500": _error("A failure on our side. Retrying is safe."),
            "503": _error("Storage is busy, full or away. Retrying is safe.", RETRY_AFTER),
        },
    }
}

PUBLIC_KEYS: dict[str, Any] = {
    "get": {
        "operationId": "publicKeys",
        "summary": "The keys that verify a statement, as a JWK Set",
        "description": "The key that signs, the standby that signs next, and keys retired a moment ago.",
        "security": [],
        "responses": {
            "200": {
                "description": "The keys.",
                "content": {"application/jwk-set+json": {"schema": {"$ref": "#/components/schemas/KeySet"}}},
                "headers": _KEPT,
            },
            "304": {"description": "They are those of the tag in If-None-Match.", "headers": _KEPT},
            "500": _error("A failure on our side. Retrying is safe."),
            "503": _error("Storage is busy, full or away. Retrying is safe.", RETRY_AFTER),
        },
    }
}
