"""API keys: created once, shown once, stored as a hash. Spec: §2, §5."""

from __future__ import annotations

import hashlib
import string
import zlib
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.limits import Remaining
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.shop import SiteId

PREFIX = "rvi_"
ENTROPY_BYTES = 23  # 184 bits drawn, 178 used: the most that 30 base62 characters hold

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_CHARACTERS = frozenset(_ALPHABET)
_BODY_LENGTH = 30
_CHECK_LENGTH = 6


@attrs.frozen(repr=False)
class SecretKey:
    """A well-formed API key in clear text; its `repr` and `str` show only the last four characters.

    `on_charged`, if given, is called with what is left of a limit when a call is charged to it; not if the limit is
    off. It is called within the transaction of the call, which may still fail, and must be quick.
    """

    text: str
    on_charged: Callable[[Remaining], object] | None = attrs.field(default=None, eq=False)

    @classmethod
    def make(cls, entropy: bytes) -> SecretKey:
        """Create a key from at least 23 random bytes."""
        number = int.from_bytes(entropy[:ENTROPY_BYTES], "big") >> (ENTROPY_BYTES * 8 - 178)
        body = PREFIX + _base62(number, _BODY_LENGTH)
        return cls(body + _check(body))

    @classmethod
    def parse(cls, value: str) -> SecretKey | None:
        """Return the key in `value`, or None if its form or check digits are wrong; needs no storage."""
        body, check = value[:-_CHECK_LENGTH], value[-_CHECK_LENGTH:]
        well_formed = (
            len(value) == len(PREFIX) + _BODY_LENGTH + _CHECK_LENGTH
            and value.startswith(PREFIX)
            and _CHARACTERS.issuperset(value[len(PREFIX) :])
        )
        return cls(value) if well_formed and _check(body) == check else None

    @property
    def hash(self) -> bytes:
        """SHA-256 of the key (32 bytes), which is stored in its place. The key is random, so no slow hash is needed."""
        return hashlib.sha256(self.text.encode("ascii")).digest()

    @property
    def lock(self) -> int:
        """Lock that protects this key's limits."""
        return lock_id(LockKind.API_KEY, self.hash.hex())

    @property
    def last_four(self) -> str:
        """The last four characters, by which a person recognises the key."""
        return self.text[-4:]

    def __repr__(self) -> str:
        return f"SecretKey(...{self.last_four})"

    __str__ = __repr__


@attrs.frozen(kw_only=True)
class ApiKey:
    """A shop's API key as it is stored, without the key itself."""

    key_id: str
    shop_number: int
    hash: bytes = attrs.field(repr=False)
    last_four: str
    label: str
    created_at: datetime
    revoked_at: datetime | None = None

    @property
    def shown_as(self) -> str:
        """The label and the last four characters, by which a person recognises the key."""
        return f"{self.label} …{self.last_four}".lstrip()


@attrs.frozen(kw_only=True)
class Actor:
    """Whoever may act for a shop. An actor is trusted, and no limit applies.

    `key_id` names the API key that was presented, `member_id` the member who signed in. Both are None if an embedding
    application vouches for the actor, or the operator, for whom `operator` is true. A member acts as long as the role
    at the shop includes `role`: each call checks that in its own transaction.
    """

    shop_number: int
    site_id: SiteId
    key_id: str | None = None
    member_id: str | None = None
    role: Role = Role.STAFF
    operator: bool = False


Credential: TypeAlias = SecretKey
"""Proof of who acts for a shop: each call checks the key and charges its limit."""


class Operator(Enum):
    """The operator of the service, who may act for every shop without limits."""

    OPERATOR = "operator"


OPERATOR = Operator.OPERATOR


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def _check(body: str) -> str:
    return _base62(zlib.crc32(body.encode("ascii")), _CHECK_LENGTH)
