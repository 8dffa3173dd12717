"""Ed25519: the service's signing keys, their life, and what they sign. Spec: §3, §4.5, ADR-24."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

import attrs
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey as Ed25519Key, VerifyKey

from reviewinvite_core.domain.sealing import KeyRing

SEED_BYTES = 32
ALGORITHM = "Ed25519"
RIPE_AFTER = timedelta(hours=24)


class KeyState(StrEnum):
    """Where in its life a signing key is."""

    ANNOUNCED = "announced"
    SIGNING = "signing"
    RETIRED = "retired"
    COMPROMISED = "compromised"


TRANSITIONS: Mapping[KeyState, frozenset[KeyState]] = MappingProxyType(
    {
        KeyState.ANNOUNCED: frozenset({KeyState.SIGNING, KeyState.COMPROMISED}),
        KeyState.SIGNING: frozenset({KeyState.RETIRED, KeyState.COMPROMISED}),
        KeyState.RETIRED: frozenset({KeyState.COMPROMISED}),
        KeyState.COMPROMISED: frozenset(),
    }
)


class KeyTransitionForbidden(Exception):
    """A change of a key's state that the table does not hold: a fault of the program, never of its user."""


@attrs.frozen(kw_only=True)
class SigningKey:
    """A key pair; the private seed is sealed, and taken away once the key is compromised. All instants are UTC."""

    key_id: str
    public_key: bytes
    sealed_seed: bytes | None = attrs.field(repr=False)
    state: KeyState
    announced_at: datetime
    signing_since: datetime | None = None
    ended_at: datetime | None = None

    @classmethod
    def announced(cls, seed: bytes, nonce: bytes, ring: KeyRing, at: datetime) -> SigningKey:
        """A new standby, from 32 random bytes and a nonce of 24."""
        public_key = bytes(Ed25519Key(seed).verify_key)
        return cls(
            key_id=thumbprint(public_key),
            public_key=public_key,
            sealed_seed=ring.seal_seed(seed, nonce),
            state=KeyState.ANNOUNCED,
            announced_at=at,
        )

    def moved(self, to: KeyState, at: datetime) -> SigningKey:
        """The key in the state `to`.

        Raises: `KeyTransitionForbidden` if the table has no such transition.
        """
        if to not in TRANSITIONS[self.state]:
            message = f"{self.state} -> {to}"
            raise KeyTransitionForbidden(message)
        return attrs.evolve(
            self,
            state=to,
            signing_since=at if to is KeyState.SIGNING else self.signing_since,
            ended_at=at if to in (KeyState.RETIRED, KeyState.COMPROMISED) else self.ended_at,
            sealed_seed=None if to in (KeyState.RETIRED, KeyState.COMPROMISED) else self.sealed_seed,
        )

    @property
    def ripe_at(self) -> datetime:
        """When it will have been published for 24 hours: until then it takes over in an emergency only."""
        return self.announced_at + RIPE_AFTER

    @property
    def jwk(self) -> dict[str, str]:
        """The public key as a JWK (RFC 8037)."""
        return {"kty": "OKP", "crv": ALGORITHM, "x": base64url(self.public_key), "kid": self.key_id}


def jwk_set(keys: Iterable[SigningKey]) -> bytes:
    """The public keys as a JWK Set (RFC 7517), in JSON."""
    return json.dumps({"keys": [key.jwk for key in keys]}, separators=(",", ":")).encode()


def signature(key: SigningKey, ring: KeyRing, message: bytes) -> bytes:
    """The signature (64 bytes) of a key that has its seed.

    Raises: `SeedDecryptionError` if the seed was damaged, or sealed with another ring.
    """
    assert key.sealed_seed is not None  # noqa: S101 - only a key that is announced or signing is asked
    return _opened(ring, key.sealed_seed).sign(message).signature


def is_signed_by(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is that of this key over the message."""
    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def thumbprint(public_key: bytes) -> str:
    """The key's id: the thumbprint of RFC 7638 of its JWK, base64url without padding.

    >>> thumbprint(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
    """
    members = f'{{"crv":"{ALGORITHM}","kty":"OKP","x":"{base64url(public_key)}"}}'
    return base64url(hashlib.sha256(members.encode()).digest())


def base64url(data: bytes) -> str:
    """Base64 for URLs, without padding (RFC 7515)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


@lru_cache(maxsize=4)
def _opened(ring: KeyRing, sealed_seed: bytes) -> Ed25519Key:
    """Kept for the few keys that sign now, so that few seeds are open at a time."""
    return Ed25519Key(ring.open_seed(sealed_seed))
