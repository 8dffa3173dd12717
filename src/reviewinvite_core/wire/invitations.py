"""Invitations, as their shop and the operator see them: without the customer's address. Spec: §3, §4.9 to §4.11."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

import attrs

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change as StoredChange, Invitation as StoredInvitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.wire.patterns import INVITATION_CURSOR
from reviewinvite_core.wire.shape import Shape, about, member
from reviewinvite_core.wire.shared import CONFIRMED, ID, INSTANT, LANGUAGE, MOST_ON_A_PAGE, ORDER_NUMBER, SOURCE

_STATE = about(example="scheduled")
_REASON = about("Why the invitation is in this state.", example="reported")
_MORE = attrs.Factory(lambda page: page.cursor is not None, takes_self=True)  # services of earlier releases do not say


@attrs.frozen(kw_only=True)
class Invitation(Shape):
    """An invitation to review an order. Spec: §3, §4.9."""

    invite_id: str = member(ID)
    order_number: str | None = member(ORDER_NUMBER)
    source: Source | str = member(SOURCE)
    confirmed: bool = member(CONFIRMED)
    language: Language | str = member(LANGUAGE)
    state: State | str = member(_STATE)
    reason: Reason | str = member(_REASON)
    reported_at: datetime = member(INSTANT)
    scheduled_for: datetime = member(INSTANT, example="2026-03-07T09:15:30.120Z")
    changed_at: datetime = member(INSTANT)

    @classmethod
    def of(cls, invitation: StoredInvitation) -> Invitation:
        return cls.taken_from(invitation)


@attrs.frozen(kw_only=True)
class Change(Shape):
    """One entry of an invitation's history."""

    state: State | str = member(_STATE)
    reason: Reason | str = member(example="reported")
    at: datetime = member(example="2026-03-02T09:15:30.120Z")
    reply: str | None = member("The mail server's status code, or the name of the error, if any.")

    @classmethod
    def of(cls, change: StoredChange) -> Change:
        return cls.taken_from(change)


@attrs.frozen(kw_only=True)
class InvitationRecord(Invitation):
    """An invitation to review an order, with the changes of its state, the oldest first. Spec: §4.10."""

    history: tuple[Change, ...] = member(min_items=1)

    @classmethod
    def with_history(cls, invitation: StoredInvitation, history: Iterable[StoredChange]) -> InvitationRecord:
        return cls.taken_from(invitation, history=tuple(map(Change.of, history)))


@attrs.frozen(kw_only=True)
class InvitationPage(Shape):
    """A page of the shop's invitations, the most recently reported first. Spec: §4.9."""

    published_as: ClassVar = "MerchantInvitations"

    invitations: tuple[Invitation, ...] = member(max_items=MOST_ON_A_PAGE)
    cursor: str | None = member(
        "Cursor of the next page, or null on the last page.",
        pattern=f"^{INVITATION_CURSOR}$",
        example="019cadd4cbc873c19e5f0a94c27d3b86",
    )
    more: bool = member("Whether more invitations are available now.", default=_MORE, example=True)

    @classmethod
    def of(cls, invitations: Iterable[StoredInvitation], next_id: str | None) -> InvitationPage:
        """Return a page; `next_id` is the id of the invitation where the next one begins, if there is one."""
        cursor = next_id and next_id.replace("-", "")
        return cls(invitations=tuple(map(Invitation.of, invitations)), cursor=cursor)

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None if this is the last."""
        return self.cursor


@attrs.frozen(kw_only=True)
class OperatorInvitation(Shape):
    """An invitation of any shop, with its history if that was asked for."""

    invite_id: str
    site_id: str
    order_number: str | None
    source: Source
    key_id: str | None
    confirmed: bool
    language: Language
    state: State
    reason: Reason
    reply: str | None
    attempts: int
    reported_at: datetime
    scheduled_for: datetime
    due_at: datetime
    changed_at: datetime
    history: tuple[Change, ...] = member(optional=True, default=())

    @classmethod
    def of(cls, invitation: StoredInvitation, site_id: str, history: Iterable[StoredChange] = ()) -> OperatorInvitation:
        key_id, changes = invitation.provenance.key_id, tuple(map(Change.of, history))
        return cls.taken_from(invitation, site_id=site_id, key_id=key_id, history=changes)
