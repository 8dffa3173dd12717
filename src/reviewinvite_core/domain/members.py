"""Members: the people who may act for a shop in the dashboard, each with a role. Spec: §10."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.email_address import EmailAddress, to_email_address
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.locks import LockKind, lock_id

MEMBER_ID_BYTES = 8


class Role(StrEnum):
    """What a member may do at a shop: an owner everything, staff reviews and invitations."""

    OWNER = "owner"
    STAFF = "staff"

    def includes(self, other: Role) -> bool:
        """Return whether this role may do all that the other one may."""
        return self in (other, Role.OWNER)


def to_role(value: str | Role) -> Role:
    """Return `value` itself, or the role with this name.

    Raises: `Invalid`.
    """
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "role")
    try:
        return Role(value)
    except ValueError:
        raise Invalid(Problem.MALFORMED, "role") from None


def role_lock(member_id: str) -> int:
    """Return the lock of a member's roles: held by what changes one, and by what the member does meanwhile."""
    return lock_id(LockKind.ROLE, member_id)


@attrs.frozen(kw_only=True)
class Member:
    """A person with access to the dashboard. The address is sealed, and found by a keyed hash.

    `signed_in_at` is the latest sign-in. `left_at` is when the person's last membership ended, or None.
    """

    member_id: str
    address_hash: bytes = attrs.field(repr=False)
    sealed_address: bytes = attrs.field(repr=False)
    language: Language
    created_at: datetime
    signed_in_at: datetime | None = None
    left_at: datetime | None = None


@attrs.frozen(kw_only=True)
class Membership:
    """A member's role at a shop.

    `opened_as` is the keyed hash of the person (`person_hash`) who has opened the shop's dashboard since being added,
    or None if nobody has: an owner may add the address of somebody who knows nothing of it.
    """

    member_id: str
    shop_number: int
    role: Role
    opened_as: bytes | None = attrs.field(default=None, repr=False)


@attrs.frozen(kw_only=True)
class NewMember:
    """A member to be added to a shop, built from plain values; without `language`, the shop's is taken.

    Raises: `Invalid`, naming the first field that is wrong.
    """

    email: EmailAddress = attrs.field(converter=to_email_address)
    role: Role = attrs.field(default=Role.STAFF, converter=to_role)
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
