"""What is stored about a person, as the operator sees it: suppressions, memberships, and e-mails to members."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.notices import Notice, NoticeKind
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.wire.shape import Shape, member


@attrs.frozen(kw_only=True)
class OperatorSuppression(Shape):
    """A suppression at one shop, or at all of them if `site_id` is None."""

    address_hash: str
    site_id: str | None
    origin: SuppressedBy
    suppressed_at: datetime
    expires_at: datetime | None = member(default=None, optional=True)

    @classmethod
    def of(cls, suppression: Suppression, site_id: str | None) -> OperatorSuppression:
        return cls.taken_from(suppression, address_hash=suppression.short_hash, site_id=site_id, origin=suppression.by)


@attrs.frozen(kw_only=True)
class OperatorMessage(Shape):
    """An e-mail that is not an invitation, without its address and content."""

    message_id: str
    kind: NoticeKind
    language: Language
    state: State
    reason: Reason | None
    reply: str | None
    attempts: int
    queued_at: datetime
    expires_at: datetime
    changed_at: datetime

    @classmethod
    def of(cls, message: Notice) -> OperatorMessage:
        return cls.taken_from(message)


@attrs.frozen(kw_only=True)
class OperatorMember(Shape):
    """A member of a shop, with the address in clear."""

    member_id: str
    email: str
    role: Role
    language: Language
    created_at: datetime
    signed_in_at: datetime | None


@attrs.frozen(kw_only=True)
class StoredSession(Shape):
    """A session of a member, and the device on which it began."""

    device: str
    signed_in_at: datetime
    last_seen_at: datetime
    ended_at: datetime | None


@attrs.frozen(kw_only=True)
class StoredMember(Shape):
    """What is stored of a person as a member of shops; `roles` are by site id."""

    member_id: str
    language: Language
    created_at: datetime
    signed_in_at: datetime | None
    left_at: datetime | None
    roles: Mapping[str, Role]
    sessions: tuple[StoredSession, ...]
