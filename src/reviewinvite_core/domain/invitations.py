"""An invitation, its history, and its transitions between states. Spec: §3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

import attrs

from reviewinvite_core.domain.deliveries import Claim, Deliverable, ItemKey
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import TRANSITIONS, Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.policy import RETRY_MISSED_AFTER
from reviewinvite_core.domain.provenance import Provenance, Source
from reviewinvite_core.domain.relay import names_dead_mailbox
from reviewinvite_core.domain.sealing import AddressDecryptionError, KeyRing

_NOT_TRIED = frozenset(
    {
        Reason.LEASE_EXPIRED,
        Reason.SHOP_INACTIVE,
        Reason.SHUTDOWN,
        Reason.PAUSED,
        Reason.MARK_UNWRITTEN,
        Reason.OPERATOR,
        Reason.RETRIED,
    }
)


@attrs.frozen(kw_only=True)
class Change:
    """One entry of an invitation's history.

    `reply` is the mail server's status code, or the name of the error, or None.
    """

    state: State
    reason: Reason
    at: datetime
    reply: str | None = None


@attrs.frozen(kw_only=True)
class Invitation(Deliverable):
    """One e-mail to be sent. The address is sealed, and None after erasure; its keyed hash stays.

    `scheduled_for` is the time reported to the shop and never changes. `due_at` is when the next attempt may be made:
    later after a refusal, sooner if an operator says so.

    `first_tried_at` is when the current series of attempts began. Time without attempts, because the shop was
    inactive or no worker ran, does not count towards the three days; nor does time in which the mail server refused
    all mail. `provenance` is the order's.

    `epoch` is that of the database when it was rejected, and None in any other state (ADR-69).
    """

    transitions = TRANSITIONS
    lost_answer = State.UNCERTAIN

    invite_id: str
    shop_number: int
    order_number: str | None
    language: Language
    address_hash: bytes = attrs.field(repr=False)
    sealed_address: bytes | None = attrs.field(repr=False)
    reported_at: datetime
    scheduled_for: datetime
    due_at: datetime
    state: State = State.SCHEDULED
    reason: Reason = Reason.REPORTED
    changed_at: datetime
    reply: str | None = None
    attempts: int = 0
    first_tried_at: datetime | None = None
    claim: Claim | None = None
    provenance: Provenance
    refused_at: datetime | None = None
    epoch: int | None = None

    @property
    def key(self) -> ItemKey:
        return self.shop_number, self.invite_id

    @property
    def lock(self) -> int:
        return invitation_lock(self.invite_id)

    def recipient(self, ring: KeyRing) -> EmailAddress | None:
        """Return whom it goes to, or None if the address was erased or cannot be read."""
        try:
            return ring.open_address(self.sealed_address) if self.sealed_address else None
        except AddressDecryptionError:
            return None

    @property
    def source(self) -> Source:
        """Where the order was first reported."""
        return self.provenance.source

    @property
    def confirmed(self) -> bool:
        """Whether the order is confirmed."""
        return self.provenance.confirmed

    @property
    def sent_at(self) -> datetime | None:
        """When the mail server accepted it; None if it did not, or if only the customer or the operator says so."""
        return self.changed_at if self.state is State.SENT and self.reason is Reason.ACCEPTED else None

    def _after(
        self, to: State, reason: Reason, at: datetime, *, claim: Claim | None, due_at: datetime, reply: str | None
    ) -> Invitation:
        is_new = self._breaks_series(to, reason, at)
        first_tried_at = None if is_new else self.first_tried_at
        return Invitation(  # not `attrs.evolve`, which takes three times as long: each message moves three times
            invite_id=self.invite_id,
            shop_number=self.shop_number,
            order_number=self.order_number,
            language=self.language,
            address_hash=self.address_hash,
            sealed_address=self.sealed_address,
            reported_at=self.reported_at,
            scheduled_for=self.scheduled_for,
            due_at=due_at,
            state=to,
            reason=reason,
            changed_at=at,
            reply=reply,
            attempts=self.attempts + (to is State.CLAIMED),
            first_tried_at=first_tried_at or (at if to is State.CLAIMED else None),
            claim=claim,
            provenance=self.provenance,
            refused_at=None if is_new else self.refused_at,
        )

    def _breaks_series(self, to: State, reason: Reason, at: datetime) -> bool:
        """Return whether this transition starts a new series of attempts.

        It does if the invitation returns to `scheduled` without an attempt, or is claimed long after it became due.
        """
        if to is State.SCHEDULED:
            return reason in _NOT_TRIED
        return to is State.CLAIMED and at - self.due_at > RETRY_MISSED_AFTER


def may_have_arrived(history: Iterable[Change]) -> bool:
    """Return whether an attempt may have reached the customer, whatever became of the invitation since."""
    return any(change.state in {State.HANDING_OVER, State.UNCERTAIN} for change in history)


class NotRetried(StrEnum):
    """Why an invitation is not tried again."""

    UNKNOWN = "unknown"
    NOT_REJECTED = "not_rejected"
    ERASED = "erased"
    NO_MAILBOX = "no_mailbox"
    SUPPRESSED = "suppressed"
    UNCERTAIN = "uncertain"
    OLDER = "older"


def obstacle_to_retry(
    invitation: Invitation, history: Iterable[Change], *, epoch: int, suppressed: bool
) -> NotRetried | None:
    """Return why an invitation is not tried again, or None if it was rejected, may be sent, and certainly never left.

    `epoch` is that of the database: a rejection of another one may have been followed by a hand-over that is not in
    this history (ADR-69).
    """
    changes = list(history)
    if invitation.state is not State.REJECTED:
        return NotRetried.NOT_REJECTED
    if invitation.sealed_address is None:
        return NotRetried.ERASED
    if any(names_dead_mailbox(change.reply) for change in changes):
        return NotRetried.NO_MAILBOX
    if suppressed:
        return NotRetried.SUPPRESSED
    if any(change.state is State.UNCERTAIN for change in changes):
        return NotRetried.UNCERTAIN
    return None if invitation.epoch == epoch else NotRetried.OLDER


def brought_forward(history: Sequence[Change]) -> Sequence[Change]:
    """Return the changes that made a scheduled invitation due at once: nothing but its time changed."""
    return [after for before, after in pairwise(history) if before.state is after.state is State.SCHEDULED]


def invitation_lock(invite_id: str) -> int:
    return lock_id(LockKind.INVITATION, invite_id)
