"""A statement with its signature, in its two published forms. Spec: §4.4, ADR-24."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import attrs

from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.domain.signing import ALGORITHM, SigningKey, base64url, signature
from reviewinvite_core.domain.statements import Statement

T = TypeVar("T")

CACHE_SIZE = 4096


@attrs.frozen(kw_only=True)
class SignedStatement:
    """A statement, the id of the key that signed it, and the signature (64 bytes) over its canonical form.

    `document` is all of it as JSON, as the interface publishes it.
    """

    statement: Statement
    key_id: str
    signature: bytes
    document: bytes = attrs.field(repr=False)


def sign_statement(statement: Statement, key: SigningKey, ring: KeyRing) -> SignedStatement:
    """Return the signed statement, from the cache if this key has already signed it.

    Raises: `SeedDecryptionError` if the seed was damaged, or sealed with another ring.
    """
    return _SIGNED.get((key.key_id, statement), lambda: _signed(statement, key, ring))


def compact_jws(statement: Statement, key: SigningKey, ring: KeyRing) -> bytes:
    """Return the statement as a compact JWS (RFC 7515, RFC 9864), from the cache if this key has already signed it.

    Raises: `SeedDecryptionError` if the seed was damaged, or sealed with another ring.
    """
    return _COMPACT.get((key.key_id, statement), lambda: _compact(statement, key, ring))


class _BoundedCache(Generic[T]):
    """Cache of recent signatures, keyed by the signing key's id so that it holds no secret.

    A statement is reissued every minute, so a full cache is simply cleared, without tracking which entries were used
    last.
    """

    def __init__(self) -> None:
        self._made: dict[Hashable, T] = {}

    def get(self, name: Hashable, make: Callable[[], T]) -> T:
        made = self._made.get(name)
        if made is None:
            made = make()
            if len(self._made) >= CACHE_SIZE:
                self._made.clear()
            self._made[name] = made
        return made


_SIGNED: _BoundedCache[SignedStatement] = _BoundedCache()
_COMPACT: _BoundedCache[bytes] = _BoundedCache()


def _signed(statement: Statement, key: SigningKey, ring: KeyRing) -> SignedStatement:
    canonical = statement.canonical
    value = signature(key, ring, canonical)
    document = b'{"statement":%b,"signature":{"keyId":"%b","algorithm":"%b","value":"%b"}}' % (
        canonical,
        key.key_id.encode(),
        ALGORITHM.encode(),
        base64url(value).encode(),
    )
    return SignedStatement(statement=statement, key_id=key.key_id, signature=value, document=document)


def _compact(statement: Statement, key: SigningKey, ring: KeyRing) -> bytes:
    header = json.dumps({"alg": ALGORITHM, "kid": key.key_id}, separators=(",", ":")).encode()
    signed = f"{base64url(header)}.{base64url(statement.canonical)}".encode()
    return signed + b"." + base64url(signature(key, ring, signed)).encode()
