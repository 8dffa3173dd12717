"""The service's Ed25519 signing keys: their states and their signatures. Spec: §3, §4.5, ADR-24."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

import attrs
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey as Ed25519Key, VerifyKey

from reviewinvite_core.domain.policy import SIGNING_KEY_RIPE_AFTER
from reviewinvite_core.domain.sealing import KeyRing

SEED_BYTES = 32
ALGORITHM = "Ed25519"


class KeyState(StrEnum):
    """State of a signing key."""

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
    """A change of a key's state that is not in the table: a bug in the program, never the user's fault."""


@attrs.frozen(kw_only=True)
class SigningKey:
    """A key pair; its private seed is sealed, and removed when the key retires or is compromised. Instants are UTC."""

    key_id: str
    public_key: bytes
    sealed_seed: bytes | None = attrs.field(repr=False)
    state: KeyState
    announced_at: datetime
    signing_since: datetime | None = None
    ended_at: datetime | None = None

    @classmethod
    def announced(cls, seed: bytes, nonce: bytes, ring: KeyRing, at: datetime) -> SigningKey:
        """Create a standby key from a 32-byte random seed and a 24-byte nonce."""
        public_key = bytes(Ed25519Key(seed).verify_key)
        return cls(
            key_id=thumbprint(public_key),
            public_key=public_key,
            sealed_seed=ring.seal_seed(seed, nonce),
            state=KeyState.ANNOUNCED,
            announced_at=at,
        )

    def moved(self, to: KeyState, at: datetime) -> SigningKey:
        """Return the key moved to the state `to`.

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
        """Instant at which the key has been published for 24 hours; until then, it takes over only in an emergency."""
        return self.announced_at + SIGNING_KEY_RIPE_AFTER

    @property
    def jwk(self) -> dict[str, str]:
        """The public key as a JWK (RFC 8037)."""
        return {"kty": "OKP", "crv": ALGORITHM, "x": base64url(self.public_key), "kid": self.key_id}


def jwk_set(keys: Iterable[SigningKey]) -> bytes:
    """Return the public keys as a JWK Set (RFC 7517) in JSON."""
    return json.dumps({"keys": [key.jwk for key in keys]}, separators=(",", ":")).encode()


def signature(key: SigningKey, ring: KeyRing, message: bytes) -> bytes:
    """Return the signature (64 bytes) of a key that has its seed.

    Raises: `SeedDecryptionError` if the seed was damaged, or sealed with another ring.
    """
    assert key.sealed_seed is not None  # noqa: S101 - callers pass announced or signing keys only
    return _opened(ring, key.sealed_seed).sign(message).signature


def is_signed_by(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the signature over the message was made with this key."""
    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def thumbprint(public_key: bytes) -> str:
    """Return the key's id: the RFC 7638 thumbprint of its JWK, base64url without padding.

    >>> thumbprint(bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
    """
    members = f'{{"crv":"{ALGORITHM}","kty":"OKP","x":"{base64url(public_key)}"}}'
    return base64url(hashlib.sha256(members.encode()).digest())


def base64url(data: bytes) -> str:
    """Encode as base64url without padding (RFC 7515)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


@lru_cache(maxsize=4)
def _opened(ring: KeyRing, sealed_seed: bytes) -> Ed25519Key:
    """Open a seed, cached for the few keys in use so that few seeds are in memory."""
    return Ed25519Key(ring.open_seed(sealed_seed))
