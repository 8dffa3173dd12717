"""A shop's activity log: who changed what, and when. Spec: §10."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain import policy
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.identifiers import parse_uuid, uuid7
from reviewinvite_core.domain.limits import HOUR, Limit
from reviewinvite_core.domain.timing import EPOCH

_BETWEEN = ", "

ADDITIONS_PER_ADDRESS = Limit(policy.ADDITIONS_PER_ADDRESS, HOUR)
NOTICES_PER_SHOP = Limit(policy.NOTICES_PER_SHOP, HOUR)


class Action(StrEnum):
    """What was done at a shop."""

    SHOP_RENAMED = "shop.renamed"
    SHOP_SETTINGS_CHANGED = "shop.settings_changed"
    SHOP_ACTIVATED = "shop.activated"
    SHOP_DEACTIVATED = "shop.deactivated"
    NAME_REQUESTED = "name.requested"
    NAME_APPROVED = "name.approved"
    NAME_WITHDRAWN = "name.withdrawn"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    DOMAIN_ADDED = "domain.added"
    DOMAIN_VERIFIED = "domain.verified"
    DOMAIN_REMOVED = "domain.removed"
    BADGE_CHANGED = "badge.changed"
    SNIPPET_SECRET_MADE = "snippet.secret_made"  # noqa: S105 - the name of an action
    MEMBER_ADDED = "member.added"
    MEMBER_REMOVED = "member.removed"
    MEMBER_ROLE_CHANGED = "member.role_changed"
    REVIEW_REPLIED = "review.replied"
    REVIEW_HIDDEN = "review.hidden"
    REVIEW_SHOWN = "review.shown"
    INVITATION_CANCELLED = "invitation.cancelled"
    INVITATION_SENT_NOW = "invitation.sent_now"
    TRUST_MARK_GRANTED = "trust_mark.granted"
    TRUST_MARK_REVOKED = "trust_mark.revoked"

    @property
    def is_about_member(self) -> bool:
        """Whether the subject is a member, as the id and the role."""
        return self.startswith("member.")

    @property
    def is_about_review(self) -> bool:
        """Whether the subject is the id of a review."""
        return self.startswith("review.")

    @property
    def is_about_invitation(self) -> bool:
        """Whether the subject is the id of an invitation."""
        return self.startswith("invitation.")


NOTIFYING = frozenset({Action.KEY_CREATED, Action.MEMBER_ADDED, Action.MEMBER_ROLE_CHANGED})
"""What others are always mailed about; a change of settings only if the address for replies is one of them.

Keys that are revoked and members who are removed do not count: each was made or added before, and that is limited.
"""

REPLY_TO = "replyTo"
"""The address for replies, as the subject of a change of settings names it."""


@attrs.frozen(kw_only=True)
class SettingChange:
    """A setting that was changed, as the API calls it, and its values; None if they are not in the log."""

    name: str
    before: str | None = None
    after: str | None = None

    def __str__(self) -> str:
        return self.name if self.before is None else f"{self.name}={self.before}:{self.after}"

    @classmethod
    def parse(cls, text: str) -> SettingChange:
        """Parse what `str` returns; entries of earlier releases have names only."""
        name, _, values = text.partition("=")
        before, _, after = values.partition(":")
        return cls(name=name, before=before or None, after=after or None)


def settings_subject(changes: Iterable[SettingChange]) -> str:
    """Return the subject of an entry about settings."""
    return _BETWEEN.join(map(str, changes))


def settings_changed(subject: str) -> Sequence[SettingChange]:
    """Return what an entry about settings says."""
    return [SettingChange.parse(each) for each in subject.split(_BETWEEN) if each]


@attrs.frozen(kw_only=True)
class Activity:
    """One entry of a shop's activity log.

    `subject` names what was changed: an id, a host, a label; never a customer's address.
    """

    activity_id: str
    shop_number: int
    at: datetime
    actor: ActorRef
    action: Action
    subject: str = ""

    @property
    def mails_others(self) -> bool:
        """Whether a member did what others are mailed about: the limit on that counts these entries. Spec: §8."""
        has_notice = self.action in NOTIFYING or (
            self.action is Action.SHOP_SETTINGS_CHANGED and REPLY_TO in self.subject
        )
        return has_notice and self.actor.kind is ActorKind.MEMBER

    def adds(self, member_id: str) -> bool:
        """Return whether a member added this person."""
        is_addition = self.action is Action.MEMBER_ADDED and self.actor.kind is ActorKind.MEMBER
        return is_addition and self.subject.partition(" ")[0] == member_id


def first_id_at(at: datetime) -> str:
    """Return the lowest id that an entry of this millisecond may have; ids begin in 1970."""
    return uuid7(max(at, EPOCH), bytes(10))


def _to_place(text: str | None) -> str | None:
    place = parse_uuid(text) if text is not None else None
    if text is not None and place is None:
        raise Invalid(Problem.MALFORMED, "after")
    return place


@attrs.frozen(kw_only=True)
class ActivityQuery:
    """Selects entries of a shop's activity log: those since an instant, at most `limit`.

    `after` is the `next` of the previous page.

    Raises: `Invalid` if `after` is not an id.
    """

    after: str | None = attrs.field(default=None, converter=_to_place)
    since: datetime | None = None
    limit: int = 100
