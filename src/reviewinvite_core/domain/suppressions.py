"""Suppressed addresses, stored by keyed hash only: nothing may be sent to them. Spec: §6, ADR-4."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

import attrs

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.policy import DEAD_MAILBOX_LASTS


class SuppressedBy(StrEnum):
    """Origin of a suppression: a person, or a mail server's answer that there is no such mailbox (ADR-47)."""

    CUSTOMER = "customer"
    OPERATOR = "operator"
    BOUNCE = "bounce"


REPLACED_BY: Mapping[SuppressedBy, frozenset[SuppressedBy]] = MappingProxyType(
    {
        SuppressedBy.CUSTOMER: frozenset({SuppressedBy.OPERATOR, SuppressedBy.BOUNCE}),
        SuppressedBy.OPERATOR: frozenset({SuppressedBy.BOUNCE}),
        SuppressedBy.BOUNCE: frozenset({SuppressedBy.BOUNCE}),
    }
)
"""The origins of existing suppressions that a new one of this origin replaces; it leaves the others as they are."""


class Reach(StrEnum):
    """Which shops' invitations a customer opts out of."""

    THIS_SHOP = "this_shop"
    EVERY_SHOP = "every_shop"


@attrs.frozen(kw_only=True)
class Suppression:
    """An address (its 16-byte keyed hash) to which a shop must not send; `shop_number` None means all shops.

    It ends at `expires_at`; None means that it holds until it is removed.
    """

    address_hash: bytes = attrs.field(repr=False)
    shop_number: int | None
    by: SuppressedBy
    suppressed_at: datetime
    expires_at: datetime | None = None

    @property
    def bookmark(self) -> Bookmark:
        """The position in the list of suppressions."""
        return Bookmark(self.suppressed_at, str(uuid.UUID(bytes=self.address_hash)))

    @classmethod
    def of_dead_mailbox(cls, address_hash: bytes, now: datetime) -> Suppression:
        """Return the suppression at all shops of an address that has no mailbox."""
        return cls(
            address_hash=address_hash,
            shop_number=None,
            by=SuppressedBy.BOUNCE,
            suppressed_at=now,
            expires_at=now + DEAD_MAILBOX_LASTS,
        )

    def holds_at(self, now: datetime) -> bool:
        """Return whether the suppression has not expired."""
        return self.expires_at is None or now < self.expires_at

    @property
    def short_hash(self) -> str:
        """First 8 hexadecimal digits of the hash: they tell a few addresses apart without revealing them."""
        return self.address_hash.hex()[:8]
