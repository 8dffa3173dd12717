"""The key ring, and what is sealed with it. Spec: §5, ADR-6, ADR-31."""

from __future__ import annotations

import hashlib
from typing import Self

import attrs
from nacl.bindings import crypto_secretbox_easy
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import ConfigurationError, SecretWrong

KEY_BYTES = 32
NONCE_BYTES = 24
NAME_BYTES = 16
SHORTEST_SECRET = 24

_RING_VERSION = b"\x01"
_RING_BOX_BYTES = NONCE_BYTES + SecretBox.MACBYTES + len(_RING_VERSION) + 4 * KEY_BYTES


@attrs.frozen(repr=False)
class Secret:
    """The operator's secret, at least 24 characters; it seals the key ring and nothing else."""

    text: str

    @classmethod
    def parse(cls, value: str) -> Secret:
        """The secret in `value`, blanks around it aside.

        Raises: `ConfigurationError` if it is too short to be one.
        """
        text = value.strip()
        if len(text) < SHORTEST_SECRET:
            message = f"the secret must have at least {SHORTEST_SECRET} characters, and be random"
            raise ConfigurationError(message)
        return cls(text)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


class SeedDecryptionError(Exception):
    """The sealed seed of a signing key that the ring does not open."""


class AddressDecryptionError(Exception):
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
        """The ring as it may be stored, its name before it; `nonce` is 24 random bytes."""
        return self.name + bytes(_wrapping(secret).encrypt(_RING_VERSION + self._keys, nonce))

    @classmethod
    def opened(cls, sealed: bytes, secret: Secret) -> Self:
        """The ring in `sealed`.

        Raises: `SecretWrong`, also if it is damaged.
        """
        wrong = SecretWrong(
            "the secret does not open this database: give the one that it was made with, or the last one that "
            "`secret rotate` has put in its place"
        )
        try:
            ring = cls.make(_wrapping(secret).decrypt(sealed[-_RING_BOX_BYTES:]).removeprefix(_RING_VERSION))
        except CryptoError:
            raise wrong from None
        if sealed[:-_RING_BOX_BYTES] not in (b"", ring.name):  # a ring of before ADR-31 has none
            raise wrong
        return ring

    @property
    def name(self) -> bytes:
        """What tells this ring from any other and shows nothing of it, as its keys are random; no secret changes it."""
        return hashlib.blake2b(self._keys, digest_size=NAME_BYTES, person=b"reviewinvite rnm").digest()

    @property
    def _keys(self) -> bytes:
        return self.dedup + self.address + self.tokens + self.sealing

    def seal_address(self, address: EmailAddress, nonce: bytes) -> bytes:
        """The address as it may be stored; `nonce` is 24 random bytes."""
        return nonce + crypto_secretbox_easy(address.text.encode("ascii"), nonce, self.sealing)  # as a SecretBox does

    def open_address(self, sealed: bytes) -> EmailAddress:
        """The address that `seal_address` sealed.

        Raises: `AddressDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return EmailAddress(SecretBox(self.sealing).decrypt(sealed).decode("ascii"))
        except (CryptoError, ValueError):
            raise AddressDecryptionError from None

    def seal_seed(self, seed: bytes, nonce: bytes) -> bytes:
        """The seed of a signing key as it may be stored; `nonce` is 24 random bytes."""
        return bytes(self._of_seeds.encrypt(seed, nonce))

    def open_seed(self, sealed: bytes) -> bytes:
        """The seed that `seal_seed` sealed.

        Raises: `SeedDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return bytes(self._of_seeds.decrypt(sealed))
        except (CryptoError, ValueError):
            raise SeedDecryptionError from None

    @property
    def _of_seeds(self) -> SecretBox:
        """A box of their own: what is sealed as a seed is never opened as an address."""
        return SecretBox(hashlib.blake2b(key=self.sealing, digest_size=KEY_BYTES, person=b"reviewinvite sgn").digest())

    def __repr__(self) -> str:
        return "KeyRing(...)"


def name_of(sealed: bytes) -> bytes:
    """The name of the ring in `sealed`, for which no secret is needed; of a ring that has none, all of `sealed`."""
    return sealed[:-_RING_BOX_BYTES] or sealed


def _wrapping(secret: Secret) -> SecretBox:
    key = hashlib.blake2b(secret.text.encode(), digest_size=KEY_BYTES, person=b"reviewinvite rng").digest()
    return SecretBox(key)
