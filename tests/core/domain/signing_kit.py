"""A key set of one's own, and statements signed with it: also those that the service would never sign."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from tests.builders import a_signing_key

from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.domain.signed_statements import compact_jws, sign_statement
from reviewinvite_core.domain.signing import base64url, jwk_set, signature
from reviewinvite_core.domain.strict_json import canonical
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.values import Statement, Status

RING = KeyRing.make(bytes(128))
SIGNING, STANDBY = a_signing_key(1), a_signing_key(2)
KEYS = jwk_set([SIGNING, STANDBY])

HOSTILE_NAMES = (
    "</script><img src=x onerror=alert(1)>",
    "\u2028 and \u2029 end lines in old scripts",
    "\u202emoc.elpmaxe\u202c \u2066abc\u2069 \u05d1\u05d9\u05ea \u0645\u0631\u062d\u0628\u0627",
    "\U0001f389\U0001f1f3\U0001f1f1" * 100,
    "\"quotes\" \\ 'and' \\u0041 \\\\",
    "e\u0301 is not \u00e9; \ufb01 \u212b \u00df \u0130",
    "\ue000\uffff\U0010ffff",
)


def a_statement(**fields: Any) -> Statement:
    """A statement that the service would sign at noon; `fields` are those of `Statement.issued`."""
    plain = {
        "site_id": "molen",
        "name": "Bakkerij De Molen",
        "domains": ("molen.example.nl", "www.molen.example.nl"),
        "status": Status.TRUSTED,
        "score": Score(count=8, total=37),
        "now": NOON,
    }
    return Statement.issued(**{**plain, **fields})


def document_of(statement: Statement) -> bytes:
    return sign_statement(statement, SIGNING, RING).document


def jws_of(statement: Statement) -> bytes:
    return compact_jws(statement, SIGNING, RING)


def signed_claims(claims: dict[str, Any], **signature_members: Any) -> bytes:
    """Any claims, with a good signature; `signature_members` take the place of the signature's own."""
    value = base64url(signature(SIGNING, RING, canonical(claims)))
    signed = {"keyId": SIGNING.key_id, "algorithm": "Ed25519", "value": value, **signature_members}
    return json.dumps({"statement": claims, "signature": signed}).encode()


def signed_jws(header: bytes, payload: bytes) -> bytes:
    """Any header and payload, with a good signature."""
    signed = f"{base64url(header)}.{base64url(payload)}".encode()
    return signed + b"." + base64url(signature(SIGNING, RING, signed)).encode()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
