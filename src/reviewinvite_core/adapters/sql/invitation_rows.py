"""Convert invitations to rows and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from reviewinvite_core.adapters.sql.connection import Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.frequency import HANDED_OVER, Contact
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.provenance import Confirmation, Provenance, Source
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = (
    "shop",
    "invite_id",
    "address_hash",
    "sealed_address",
    "order_number",
    "language",
    "reported_at",
    "scheduled_for",
    "due_at",
    "state",
    "reason",
    "changed_at",
    "reply",
    "attempts",
    "first_tried_at",
    "claim_token",
    "lease_until",
    "source",
    "key_id",
    "confirmation",
    "refused_at",
    "epoch",
)
# Members by value: a call of the enumeration takes ten times as long, three times for each row.
_LANGUAGES = {str(each): each for each in Language}
_STATES = {str(each): each for each in State}
_REASONS = {str(each): each for each in Reason}
NO_TOKEN = b""  # stands for NULL in comparisons
_SOURCES = (Source.UNKNOWN, Source.SNIPPET, Source.API, Source.IMPORT, Source.DASHBOARD, Source.OPERATOR)
_NUMBERS = {source: number for number, source in enumerate(_SOURCES)}
_CONFIRMATIONS = {each.value: each for each in Confirmation}
COLUMNS = ", ".join(f"invitations.{field}" for field in FIELDS)


def new_row(invitation: Invitation, dedup: DedupKey) -> dict[str, object]:
    """Return the values of a new order and its invitation."""
    return {**parameters_of(invitation), "dedup_hash": dedup.hash}


def parameters_of(invitation: Invitation) -> dict[str, object]:
    """Return the values of an invitation."""
    provenance = invitation.provenance
    return {
        **_moved_row(invitation),
        "address_hash": invitation.address_hash,
        "sealed_address": invitation.sealed_address,
        "order_number": invitation.order_number,
        "language": str(invitation.language),
        "reported_at": to_microseconds(invitation.reported_at),
        "scheduled_for": to_microseconds(invitation.scheduled_for),
        "source": number_of(provenance.source),
        "key_id": provenance.key_id,
        "confirmation": provenance.confirmation.value,
    }


def change_row(before: Invitation, after: Invitation) -> dict[str, object]:
    """Return the values of a transition: what it changes, and what must be as before."""
    return {
        **_moved_row(after),
        "before_state": str(before.state),
        "before_token": before.claim.token if before.claim else NO_TOKEN,
    }


def _moved_row(invitation: Invitation) -> dict[str, object]:
    """Return the key of an invitation, and the values that a transition may change."""
    claim = invitation.claim
    return {
        "shop": invitation.shop_number,
        "invite_id": id_bytes(invitation.invite_id),
        "due_at": to_microseconds(invitation.due_at),
        "state": str(invitation.state),
        "reason": str(invitation.reason),
        "changed_at": to_microseconds(invitation.changed_at),
        "reply": invitation.reply,
        "attempts": invitation.attempts,
        "first_tried_at": microseconds_or_null(invitation.first_tried_at),
        "claim_token": claim.token if claim else None,
        "lease_until": to_microseconds(claim.lease_until) if claim else None,
        "refused_at": microseconds_or_null(invitation.refused_at),
        "epoch": invitation.epoch,
    }


def invitation_from(row: Row) -> Invitation:
    """Return the invitation in a row of `COLUMNS`."""
    (
        shop,
        invite_id,
        address_hash,
        sealed_address,
        order_number,
        language,
        reported_at,
        scheduled_for,
        due_at,
        state,
        reason,
        changed_at,
        reply,
        attempts,
        first_tried_at,
        claim_token,
        lease_until,
        source,
        key_id,
        confirmation,
        refused_at,
        epoch,
    ) = row  # in the order of `FIELDS`
    return Invitation(
        invite_id=id_text(invite_id),
        shop_number=shop,
        order_number=order_number,
        language=_LANGUAGES[language],
        address_hash=address_hash,
        sealed_address=sealed_address,
        reported_at=from_microseconds(reported_at),
        scheduled_for=from_microseconds(scheduled_for),
        due_at=from_microseconds(due_at),
        state=_STATES[state],
        reason=_REASONS[reason],
        changed_at=from_microseconds(changed_at),
        reply=reply,
        attempts=attempts,
        first_tried_at=instant_or_none(first_tried_at),
        claim=Claim(token=claim_token, lease_until=from_microseconds(lease_until)) if claim_token else None,
        provenance=_provenance_from(source, key_id, confirmation),
        refused_at=instant_or_none(refused_at),
        epoch=epoch,
    )


def number_of(source: Source) -> int:
    """Return the number under which a source is stored."""
    return _NUMBERS[source]


def source_of(number: int) -> Source:
    """Return the source that is stored under this number."""
    return _SOURCES[number]


@lru_cache(maxsize=4096)
def _provenance_from(number: int, key_id: str | None, confirmation: int) -> Provenance:
    """Return the provenance in these columns; only an order of the snippet can lack its confirmation."""
    source = source_of(number)
    given = Confirmation.GIVEN if source is not Source.SNIPPET else _CONFIRMATIONS[confirmation]
    return Provenance(source=source, key_id=key_id, confirmation=given)


def contact_from(row: Sequence[Any]) -> Contact:
    """Return the contact in a row of `contacts`: the last two are when it was last handed over, and in doubt."""
    invite_id, state, due_at, changed_at, confirmed, handing_over_at, uncertain_at = row
    handed_over = state in HANDED_OVER
    at = (handing_over_at or uncertain_at or changed_at) if handed_over else due_at
    return Contact(
        invite_id=id_text(invite_id), at=from_microseconds(at), handed_over=handed_over, confirmed=bool(confirmed)
    )


def change_from(row: Row) -> Change:
    """Return the entry of a history in a row of state, reason, instant and reply."""
    state, reason, changed_at, reply = row
    return Change(state=State(state), reason=Reason(reason), at=from_microseconds(changed_at), reply=reply)
