"""Statements and the keys that verify them. All but the operator's are descriptions: they are signed byte by byte."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import attrs

from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.domain.trust_mark import Status
from reviewinvite_core.wire.shape import Shape, about, member

_KEY_ID = "qqvw41GI5GeumwkLtLegxDvEyFEE5RBeSncJSY0kkeA"
_BASE64URL = about(pattern="^[A-Za-z0-9_-]+$")
_KEY_BYTES = about(pattern="^[A-Za-z0-9_-]{43}$")


@attrs.frozen(kw_only=True)
class Rating(Shape):
    """The score of the last 12 months."""

    count: int = member(minimum=0, example=128)
    mean: str | None = member(pattern=r"^[1-5]\.[0-9]{2}$", example="4.63")


@attrs.frozen(kw_only=True)
class Statement(Shape):
    """What the service states about a shop."""

    type: Literal["reviewinvite/statement/v1"] = member(example="reviewinvite/statement/v1")
    site_id: str = member(example="bakkerij-de-molen")
    name: str = member(example="Bakkerij De Molen")
    domains: tuple[str, ...] = member(example=["example.nl"])
    status: Status = member(example="trusted")
    rating: Rating
    issued_at: datetime = member(example="2026-03-02T09:15:00.000Z")
    expires_at: datetime = member(example="2026-03-02T09:25:00.000Z")


@attrs.frozen(kw_only=True)
class Signature(Shape):
    """An Ed25519 signature over the canonical bytes (RFC 8785) of a statement."""

    key_id: str = member(_BASE64URL, example=_KEY_ID)
    algorithm: Literal["Ed25519"] = member(example="Ed25519")
    value: str = member(
        _BASE64URL, example="MWNOjZn6yIoqu6AE1--j7TU3oepjRKgX6H1yrHwwr45Km42i7TPoq9Fq7PvuArvAWRLHPZEm7kKhGXjYLdv8CQ"
    )


@attrs.frozen(kw_only=True)
class SignedStatement(Shape):
    """A statement and its signature."""

    statement: Statement
    signature: Signature


@attrs.frozen(kw_only=True)
class PublicKey(Shape):
    """A key that verifies statements, as a JSON Web Key (RFC 8037)."""

    kty: Literal["OKP"] = member(example="OKP")
    crv: Literal["Ed25519"] = member(example="Ed25519")
    x: str = member("The public key.", _KEY_BYTES, example="_XxlikJItOdL1ZCRYOm6OlP3fzAarvelXA29hfkk894")
    kid: str = member("The key's thumbprint (RFC 7638), as in `keyId`.", _KEY_BYTES, example=_KEY_ID)


@attrs.frozen(kw_only=True)
class KeySet(Shape):
    """The keys that verify statements now, as a JWK Set."""

    keys: tuple[PublicKey, ...] = member(
        min_items=2,
        example=[
            {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": kid}
            for x, kid in (
                ("_XxlikJItOdL1ZCRYOm6OlP3fzAarvelXA29hfkk894", _KEY_ID),
                ("d5nHWvJps7htecUwyGq3jalWgzkL7Ad8QYPEsjW8jZ4", "zE5tO6b4LXAg19H457BmPpv7YqUODiCr5gxqRbPGNCI"),
            )
        ],
    )


@attrs.frozen(kw_only=True)
class OperatorSigningKey(Shape):
    """A signing key, without its private part."""

    key_id: str
    state: KeyState
    announced_at: datetime
    signing_since: datetime | None
    ended_at: datetime | None

    @classmethod
    def of(cls, key: SigningKey) -> OperatorSigningKey:
        return cls.taken_from(key)
