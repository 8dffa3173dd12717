"""Offline verification of a statement by a third party, from the document, the key set and a clock. Spec: §4.4, ADR-24.

It fails closed: a member, type or form that the service never writes is rejected, even with a valid signature.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

import attrs

from reviewinvite_core.domain.policy import STATEMENT_VALID_FOR
from reviewinvite_core.domain.signing import ALGORITHM, is_signed_by, thumbprint
from reviewinvite_core.domain.statements import TYPE, Statement
from reviewinvite_core.domain.strict_json import (
    NonCanonicalJson,
    as_object,
    as_text,
    canonical,
    from_base64url,
    members,
    read_json,
)
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.domain.trust_mark import Status

if TYPE_CHECKING:
    from cattrs import Converter

LARGEST_DOCUMENT = 256 * 1024  # bytes, for a statement and for a key set
CLOCK_SKEW = timedelta(minutes=1)

_PUBLIC_KEY_BYTES = 32
_SIGNATURE_BYTES = 64
_MEAN = re.compile(r"[1-4]\.[0-9]{2}|5\.00")


class Flaw(StrEnum):
    """Why a statement must not be trusted; stable codes for programs."""

    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    KEY_SET_MALFORMED = "key_set_malformed"
    WRONG_ALGORITHM = "wrong_algorithm"
    UNKNOWN_KEY = "unknown_key"
    WRONG_SIGNATURE = "wrong_signature"
    WRONG_TYPE = "wrong_type"
    ANOTHER_SITE = "another_site"
    LIVES_TOO_LONG = "lives_too_long"
    NOT_YET_ISSUED = "not_yet_issued"
    EXPIRED = "expired"


@attrs.frozen
class StatementRefused:
    """The statement must not be trusted."""

    reason: Flaw


def verify_statement(
    document: bytes, keys: bytes, *, now: datetime, site_id: str | None = None
) -> Statement | StatementRefused:
    """Return the statement if one of `keys` signed it and it is valid at `now`, by the verifier's own clock.

    `document` is the JSON of Spec: §4.4 or a compact JWS, `keys` a JWK Set, and `now` an instant with a time zone.
    `site_id` is the shop that the statement must be about, or None to accept any. A valid statement may still say that
    the shop is not trusted: check its `status`.
    """
    if max(len(document), len(keys)) > LARGEST_DOCUMENT:
        return StatementRefused(Flaw.TOO_LARGE)
    try:
        known = _keys_in(keys)
    except NonCanonicalJson:
        return StatementRefused(Flaw.KEY_SET_MALFORMED)
    try:
        return _verified(document.strip(b" \t\r\n"), known, now, site_id)
    except NonCanonicalJson:
        return StatementRefused(Flaw.MALFORMED)
    except _Flawed as flawed:
        return StatementRefused(flawed.flaw)


class _Flawed(Exception):
    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw)
        self.flaw = flaw


@attrs.frozen(kw_only=True)
class _Claim:
    """Signed content before verification: the claims, the signed bytes, the key's id and the signature."""

    claims: Mapping[str, object]
    signed: bytes
    key_id: str
    signature: bytes


def _keys_in(key_set: bytes) -> Mapping[str, bytes]:
    """Return the Ed25519 keys of a JWK Set by id; skip keys of another kind or use, as RFC 7517 asks."""
    listed = as_object(read_json(key_set)).get("keys")
    if not isinstance(listed, list):
        raise NonCanonicalJson
    known: dict[str, bytes] = {}
    for one in listed:
        key = as_object(one)
        if not _is_for_verifying(key):
            continue
        public_key = from_base64url(key.get("x"), _PUBLIC_KEY_BYTES)
        key_id = thumbprint(public_key)
        if "d" in key or key.get("kid") != key_id or key_id in known:
            raise NonCanonicalJson
        known[key_id] = public_key
    return known


def _is_for_verifying(key: Mapping[str, object]) -> bool:
    """Return whether it is an Ed25519 key that is not reserved for another use (RFC 7517, section 4)."""
    operations = key.get("key_ops", ["verify"])
    return (
        key.get("kty") == "OKP"
        and key.get("crv") == ALGORITHM
        and key.get("use", "sig") == "sig"
        and key.get("alg", ALGORITHM) == ALGORITHM
        and isinstance(operations, list)
        and "verify" in operations
    )


def _verified(document: bytes, known: Mapping[str, bytes], now: datetime, site_id: str | None) -> Statement:
    claim = _in_json(document) if document.startswith(b"{") else _in_jws(document)
    public_key = known.get(claim.key_id)
    if public_key is None:
        raise _Flawed(Flaw.UNKNOWN_KEY)
    if not is_signed_by(public_key, claim.signed, claim.signature):
        raise _Flawed(Flaw.WRONG_SIGNATURE)
    statement = _statement(claim.claims)
    if site_id is not None and statement.site_id != site_id:
        raise _Flawed(Flaw.ANOTHER_SITE)
    if statement.expires_at - statement.issued_at > STATEMENT_VALID_FOR:
        raise _Flawed(Flaw.LIVES_TOO_LONG)
    if statement.issued_at > now + CLOCK_SKEW:
        raise _Flawed(Flaw.NOT_YET_ISSUED)
    if now >= statement.expires_at:
        raise _Flawed(Flaw.EXPIRED)
    return statement


def _in_json(document: bytes) -> _Claim:
    envelope = members(read_json(document), ("statement", "signature"))
    claims = as_object(envelope["statement"])
    signature = members(envelope["signature"], ("keyId", "algorithm", "value"))
    if signature["algorithm"] != ALGORITHM:
        raise _Flawed(Flaw.WRONG_ALGORITHM)
    return _Claim(
        claims=claims,
        signed=canonical(claims),
        key_id=as_text(signature["keyId"]),
        signature=from_base64url(signature["value"], _SIGNATURE_BYTES),
    )


def _in_jws(document: bytes) -> _Claim:
    """Split a compact JWS, whose header and claims must match the service's format byte for byte.

    The header has exactly two members.
    """
    parts = document.decode("ascii", "replace").split(".")
    if len(parts) != 3:
        raise NonCanonicalJson
    header_bytes, claims_bytes = map(from_base64url, parts[:2])
    header, claims = as_object(read_json(header_bytes)), as_object(read_json(claims_bytes))
    if header.get("alg") != ALGORITHM:
        raise _Flawed(Flaw.WRONG_ALGORITHM)
    key_id = as_text(members(header, ("alg", "kid"))["kid"])
    if canonical(header) != header_bytes or canonical(claims) != claims_bytes:
        raise NonCanonicalJson
    return _Claim(
        claims=claims,
        signed=document.rpartition(b".")[0],
        key_id=key_id,
        signature=from_base64url(parts[2], _SIGNATURE_BYTES),
    )


def _statement(claims: Mapping[str, object]) -> Statement:
    from cattrs import ForbiddenExtraKeysError  # only verifiers need it, signers do not

    if claims.get("type") != TYPE:
        raise _Flawed(Flaw.WRONG_TYPE)
    try:
        statement = _converter().structure({name: claims[name] for name in claims if name != "type"}, Statement)
    except (ForbiddenExtraKeysError, KeyError):  # an extra member, or a missing one
        raise NonCanonicalJson from None
    if statement.expires_at <= statement.issued_at:
        raise NonCanonicalJson
    return statement


@cache
def _converter() -> Converter:
    """Return the converter from claims (without their type) to a statement; its hooks accept exact values only."""
    from cattrs import Converter, override
    from cattrs.gen import make_dict_structure_fn

    converter = Converter(forbid_extra_keys=True, detailed_validation=False)
    converter.register_structure_hook(str, lambda value, _: as_text(value))
    converter.register_structure_hook(Status, lambda value, _: _status(value))
    converter.register_structure_hook(datetime, lambda value, _: _instant(value))
    hook = make_dict_structure_fn(
        Statement,
        converter,
        site_id=override(rename="siteId"),
        domains=override(struct_hook=lambda value, _: _domains(value)),
        count=override(rename="rating", struct_hook=lambda value, _: _rating(value)[0]),
        mean=override(rename="rating", struct_hook=lambda value, _: _rating(value)[1]),
        issued_at=override(rename="issuedAt"),
        expires_at=override(rename="expiresAt"),
    )
    converter.register_structure_hook(Statement, hook)
    return converter


def _domains(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise NonCanonicalJson
    return tuple(map(as_text, value))


def _rating(value: object) -> tuple[int, str | None]:
    """Return count and mean: the mean is present exactly if there are reviews."""
    rating = members(value, ("count", "mean"))
    count, mean = rating["count"], rating["mean"]
    if type(count) is not int:
        raise NonCanonicalJson
    if count == 0 and mean is None:
        return 0, None
    if count == 0 or not _MEAN.fullmatch(as_text(mean)):
        raise NonCanonicalJson
    return count, as_text(mean)


def _status(value: object) -> Status:
    try:
        return Status(as_text(value))
    except ValueError:
        raise NonCanonicalJson from None


def _instant(value: object) -> datetime:
    """Parse an instant, accepting only the interface's own format."""
    text = as_text(value)
    try:
        instant = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise NonCanonicalJson from None
    if iso_milliseconds(instant) != text:
        raise NonCanonicalJson
    return instant
