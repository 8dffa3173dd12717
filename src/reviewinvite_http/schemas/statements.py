"""Statements and keys for the OpenAPI description; they are signed byte by byte. Spec: §4.4, §4.5."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import attrs

from reviewinvite_core.values import Status


@attrs.frozen
class Rating:
    """The score of the last 12 months."""

    count: int
    mean: str | None


@attrs.frozen
class Statement:
    """What the service states about a shop."""

    type: Literal["reviewinvite/statement/v1"]
    site_id: str
    name: str
    domains: Sequence[str]
    status: Status
    rating: Rating
    issued_at: datetime
    expires_at: datetime


@attrs.frozen
class Signature:
    """An Ed25519 signature over the canonical bytes (RFC 8785) of a statement."""

    key_id: str
    algorithm: Literal["Ed25519"]
    value: str


@attrs.frozen
class SignedStatement:
    """A statement and its signature."""

    statement: Statement
    signature: Signature


@attrs.frozen
class PublicKey:
    """A key that verifies statements, as a JSON Web Key (RFC 8037)."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str


@attrs.frozen
class KeySet:
    """The keys that verify statements now, as a JWK Set."""

    keys: Sequence[PublicKey]
