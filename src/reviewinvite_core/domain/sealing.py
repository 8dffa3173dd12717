"""The key ring, and what is encrypted with it. Spec: §5, ADR-6, ADR-31."""

from __future__ import annotations

import hashlib
from itertools import pairwise
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

LEAST_DIFFERENT = 6
LEAST_UNPREDICTABLE = 12

_ROWS = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = frozenset(pair for row in _ROWS for a, b in pairwise(row) for pair in (a + b, b + a))

_RING_VERSION = b"\x01"
_RING_BOX_BYTES = NONCE_BYTES + SecretBox.MACBYTES + len(_RING_VERSION) + 4 * KEY_BYTES


@attrs.frozen(repr=False)
class Secret:
    """The operator's secret, at least 24 characters; it seals the key ring and nothing else."""

    text: str

    @classmethod
    def parse(cls, value: str) -> Secret:
        """Parse a secret, ignoring blanks around it.

        Raises: `ConfigurationError` if it is too short.
        """
        text = value.strip()
        if len(text) < SHORTEST_SECRET:
            message = f"the secret must have at least {SHORTEST_SECRET} characters, and be random"
            raise ConfigurationError(message)
        return cls(text)

    @property
    def is_weak(self) -> bool:
        """Whether it is easy to guess: fewer than 6 characters are different, or fewer than 12 are unpredictable.

        A new database is not sealed under a weak secret; a database that already is still opens. Spec: §5.
        """
        text = self.text.lower()
        unpredictable = sum(not _is_predictable(text, place) for place in range(len(text)))
        return len(set(text)) < LEAST_DIFFERENT or unpredictable < LEAST_UNPREDICTABLE

    def require_strong(self, name: str) -> None:
        """Raise if it is weak; `name` says which secret it is.

        Raises: `ConfigurationError`.
        """
        if self.is_weak:
            message = (
                f"{name} is too easy to guess: it repeats itself, or follows the alphabet or a keyboard; generate one, "
                'for example with python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
            )
            raise ConfigurationError(message)

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__


def _is_predictable(text: str, place: int) -> bool:
    """Return whether a character follows from those before it.

    It does if it equals the one before, is its neighbour in the alphabet, among the digits or in a row of a keyboard,
    or ends three characters that stood together before.
    """
    if not place:
        return False
    pair, triple = text[place - 1 : place + 1], text[max(place - 2, 0) : place + 1]
    return pair[0] == pair[1] or pair in _NEIGHBOURS or (len(triple) == 3 and triple in text[:place])


class SeedDecryptionError(Exception):
    """The key ring does not open the sealed seed of a signing key."""


class AddressDecryptionError(Exception):
    """The key ring does not open a sealed address."""


class ContentDecryptionError(Exception):
    """The key ring does not open the sealed content of a message."""


class SnippetSecretDecryptionError(Exception):
    """The key ring does not open a sealed snippet secret."""


@attrs.frozen(repr=False, kw_only=True)
class KeyRing:
    """Random keys of 32 bytes, one for each purpose, so that a key made for one purpose is never used for another.

    They are stored in the database, sealed under the secret, so that the secret can change without changing them.
    """

    dedup: bytes
    address: bytes
    tokens: bytes
    sealing: bytes

    @classmethod
    def make(cls, entropy: bytes) -> Self:
        """Create a key ring from 128 random bytes."""
        return cls(dedup=entropy[0:32], address=entropy[32:64], tokens=entropy[64:96], sealing=entropy[96:128])

    def sealed(self, secret: Secret, nonce: bytes) -> bytes:
        """Return the key ring in stored form, prefixed with its name; `nonce` is 24 random bytes."""
        return self.name + bytes(_wrapping(secret).encrypt(_RING_VERSION + self._keys, nonce))

    @classmethod
    def opened(cls, sealed: bytes, secret: Secret) -> Self:
        """Open a sealed key ring.

        Raises: `SecretWrong`, also if it is damaged.
        """
        wrong = SecretWrong(
            "wrong secret for this database: use the one it was made with, or the latest one from `secret rotate`"
        )
        try:
            ring = cls.make(_wrapping(secret).decrypt(sealed[-_RING_BOX_BYTES:]).removeprefix(_RING_VERSION))
        except CryptoError:
            raise wrong from None
        if sealed[:-_RING_BOX_BYTES] not in (b"", ring.name):  # a ring from before ADR-31 has no name
            raise wrong
        return ring

    @property
    def name(self) -> bytes:
        """Identifier of this ring that reveals nothing about its random keys; it does not depend on the secret."""
        return hashlib.blake2b(self._keys, digest_size=NAME_BYTES, person=b"reviewinvite rnm").digest()

    @property
    def _keys(self) -> bytes:
        return self.dedup + self.address + self.tokens + self.sealing

    def seal_address(self, address: EmailAddress, nonce: bytes) -> bytes:
        """Return the address in stored form; `nonce` is 24 random bytes."""
        return nonce + crypto_secretbox_easy(address.text.encode("ascii"), nonce, self.sealing)  # as SecretBox does

    def open_address(self, sealed: bytes) -> EmailAddress:
        """Return the address that `seal_address` sealed.

        Raises: `AddressDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return EmailAddress(SecretBox(self.sealing).decrypt(sealed).decode("ascii"))
        except (CryptoError, ValueError):
            raise AddressDecryptionError from None

    def seal_seed(self, seed: bytes, nonce: bytes) -> bytes:
        """Return the seed of a signing key in stored form; `nonce` is 24 random bytes."""
        return bytes(self._of_seeds.encrypt(seed, nonce))

    def open_seed(self, sealed: bytes) -> bytes:
        """Return the seed that `seal_seed` sealed.

        Raises: `SeedDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return bytes(self._of_seeds.decrypt(sealed))
        except (CryptoError, ValueError):
            raise SeedDecryptionError from None

    def seal_content(self, content: bytes, nonce: bytes) -> bytes:
        """Return the content of a message in stored form; `nonce` is 24 random bytes."""
        return bytes(self._of_messages.encrypt(content, nonce))

    def open_content(self, sealed: bytes) -> bytes:
        """Return the content that `seal_content` sealed.

        Raises: `ContentDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return bytes(self._of_messages.decrypt(sealed))
        except (CryptoError, ValueError):
            raise ContentDecryptionError from None

    def seal_snippet_secret(self, secret: str, nonce: bytes) -> bytes:
        """Return a shop's snippet secret in stored form; `nonce` is 24 random bytes."""
        return bytes(self._of_snippets.encrypt(secret.encode("ascii"), nonce))

    def open_snippet_secret(self, sealed: bytes) -> str:
        """Return the snippet secret that `seal_snippet_secret` sealed.

        Raises: `SnippetSecretDecryptionError` if it was damaged, or sealed with another ring.
        """
        try:
            return self._of_snippets.decrypt(sealed).decode("ascii")
        except (CryptoError, ValueError):
            raise SnippetSecretDecryptionError from None

    @property
    def _of_snippets(self) -> SecretBox:
        """Box for snippet secrets, with a separate key, as for seeds."""
        return SecretBox(hashlib.blake2b(key=self.sealing, digest_size=KEY_BYTES, person=b"reviewinvite snp").digest())

    @property
    def _of_messages(self) -> SecretBox:
        """Box for the content of messages, with a separate key, as for seeds."""
        return SecretBox(hashlib.blake2b(key=self.sealing, digest_size=KEY_BYTES, person=b"reviewinvite msg").digest())

    @property
    def _of_seeds(self) -> SecretBox:
        """Box for seeds, with a separate key so that a sealed seed never opens as an address."""
        return SecretBox(hashlib.blake2b(key=self.sealing, digest_size=KEY_BYTES, person=b"reviewinvite sgn").digest())

    def __repr__(self) -> str:
        return "KeyRing(...)"


def name_of(sealed: bytes) -> bytes:
    """Return the name of a sealed key ring without its secret; for a ring that has no name, all of `sealed`."""
    return sealed[:-_RING_BOX_BYTES] or sealed


def _wrapping(secret: Secret) -> SecretBox:
    key = hashlib.blake2b(secret.text.encode(), digest_size=KEY_BYTES, person=b"reviewinvite rng").digest()
    return SecretBox(key)
