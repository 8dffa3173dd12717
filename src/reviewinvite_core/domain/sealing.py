"""The key ring, and what is sealed with it. Spec: §5, ADR-6."""

from __future__ import annotations

import hashlib
from typing import Self

import attrs
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import ConfigurationError, SecretWrong

KEY_BYTES = 32
NONCE_BYTES = 24
SHORTEST_SECRET = 24

_RING_VERSION = b"\x01"


@attrs.frozen(repr=False)
class Secret:
    """The operator's secret, at least 24 characters; it seals the key ring and nothing else."""

    text: str

    @classmethod
    def parse(cls, value: str) -> Secret:
        """The secret in `value`, blanks around it aside.

        Raises: `ConfigurationError` where it is too short to be one.
        """
        text = value.strip()
        if len(text) < SHORTEST_SECRET:
            message = f"the secret must have at least {SHORTEST_SECRET} characters, and be random"
            raise ConfigurationError(message)
        return cls(text)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


class AddressUnreadable(Exception):
    """A sealed address that the ring does not open."""


@attrs.frozen(repr=False, kw_only=True)
class KeyRing:
    """Random keys of 32 bytes, one for each purpose, so that none can be used for another's.

    They live in the database, sealed under the secret, so that the secret can change while they stay.
    """

    dedup: bytes
    address: bytes
    tokens: bytes
    sealing: bytes

    @classmethod
    def make(cls, entropy: bytes) -> Self:
        """A new ring from 128 random bytes."""
        return cls(dedup=entropy[0:32], address=entropy[32:64], tokens=entropy[64:96], sealing=entropy[96:128])

    def sealed(self, secret: Secret, nonce: bytes) -> bytes:
        """The ring as it may be stored; `nonce` is 24 random bytes."""
        content = _RING_VERSION + self.dedup + self.address + self.tokens + self.sealing
        return bytes(_wrapping(secret).encrypt(content, nonce))

    @classmethod
    def opened(cls, sealed: bytes, secret: Secret) -> Self:
        """The ring in `sealed`.

        Raises: `SecretWrong`.
        """
        try:
            content = _wrapping(secret).decrypt(sealed)
        except CryptoError:
            raise SecretWrong("the secret does not open this database: give the one it was made with") from None
        return cls.make(content.removeprefix(_RING_VERSION))

    def seal_address(self, address: EmailAddress, nonce: bytes) -> bytes:
        """The address as it may be stored; `nonce` is 24 random bytes."""
        return bytes(SecretBox(self.sealing).encrypt(address.text.encode("ascii"), nonce))

    def open_address(self, sealed: bytes) -> EmailAddress:
        """The address that `seal_address` sealed.

        Raises: `AddressUnreadable` where it was damaged, or sealed with another ring.
        """
        try:
            return EmailAddress(SecretBox(self.sealing).decrypt(sealed).decode("ascii"))
        except (CryptoError, ValueError):
            raise AddressUnreadable from None

    def __repr__(self) -> str:
        return "KeyRing(...)"


def _wrapping(secret: Secret) -> SecretBox:
    key = hashlib.blake2b(secret.text.encode(), digest_size=KEY_BYTES, person=b"reviewinvite rng").digest()
    return SecretBox(key)
