"""Notices, as rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Row
from reviewinvite_core.adapters.sql.deliveries import HeldRows, SqlDeliveries
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.deliveries import Claim, ItemKey
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.notices import SHOP_OF_NOTICES, Notice, NoticeKind
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = (
    "message_id",
    "kind",
    "language",
    "address_hash",
    "sealed",
    "queued_at",
    "expires_at",
    "due_at",
    "state",
    "reason",
    "changed_at",
    "reply",
    "attempts",
    "claim_token",
    "lease_until",
    "shop",
    "refused_at",
)
COLUMNS = ", ".join(FIELDS)
_ADD = f"""
INSERT INTO messages ({COLUMNS}, priority) VALUES ({", ".join(f":{field}" for field in FIELDS)}, :priority)
"""
_ADD_OR_RENEW = f"""{_ADD}
ON CONFLICT (message_id) DO UPDATE SET expires_at = excluded.expires_at
WHERE messages.state IN ('scheduled', 'claimed', 'handing_over')
"""
_FIND = f"SELECT {COLUMNS} FROM messages WHERE message_id = :message_id"
_DUE = f"""
SELECT {COLUMNS} FROM messages
WHERE state = 'scheduled' AND due_at <= :now AND expires_at > :now
ORDER BY priority, due_at, message_id LIMIT :most
"""
# The unary + keeps SQLite from the index by expiry, in which all that were sent lately are.
_IS_ANY_DUE = "SELECT 1 FROM messages WHERE state = 'scheduled' AND due_at <= :now AND +expires_at > :now LIMIT 1"
_OVERDUE = f"""
SELECT {COLUMNS} FROM messages
WHERE state = 'scheduled' AND expires_at <= :before ORDER BY expires_at, message_id LIMIT :most
"""
_IN_DOUBT = f"""
SELECT {COLUMNS} FROM messages
WHERE state IN ('claimed', 'handing_over') OR (state = 'scheduled' AND queued_at <= :until)
ORDER BY message_id LIMIT :most
"""
_OF_ADDRESS = f"""
SELECT {COLUMNS} FROM messages WHERE address_hash = :address_hash ORDER BY queued_at, message_id
"""
_CHANGE = """
UPDATE messages
SET state = :state, reason = :reason, changed_at = :changed_at, reply = :reply, attempts = :attempts, due_at = :due_at,
    claim_token = :claim_token, lease_until = :lease_until, refused_at = :refused_at,
    sealed = CASE WHEN :keeps = 1 THEN sealed END
WHERE message_id = :message_id AND state = :before_state AND COALESCE(claim_token, :no_token) = :before_token
"""
_FORGET_CONTENT = "UPDATE messages SET sealed = NULL WHERE message_id = :message_id AND sealed IS NOT NULL"
_SWEEP = """
DELETE FROM messages WHERE message_id IN (
    SELECT message_id FROM messages
    WHERE expires_at < :before AND state <> 'handing_over' ORDER BY expires_at LIMIT :most
)
"""
_NO_TOKEN = b""  # stands for NULL in comparisons


def _parameters(notice: Notice) -> dict[str, object]:
    claim = notice.claim
    return {
        "message_id": id_bytes(notice.message_id),
        "kind": str(notice.kind),
        "priority": notice.kind.priority,
        "language": str(notice.language),
        "address_hash": notice.address_hash,
        "sealed": notice.sealed,
        "queued_at": to_microseconds(notice.queued_at),
        "expires_at": to_microseconds(notice.expires_at),
        "due_at": to_microseconds(notice.due_at),
        "state": str(notice.state),
        "reason": str(notice.reason) if notice.reason else None,
        "changed_at": to_microseconds(notice.changed_at),
        "reply": notice.reply,
        "attempts": notice.attempts,
        "claim_token": claim.token if claim else None,
        "lease_until": to_microseconds(claim.lease_until) if claim else None,
        "shop": notice.shop_number,
        "refused_at": microseconds_or_null(notice.refused_at),
    }


def _notice_from(row: Row) -> Notice:
    """Return the notice in a row of `COLUMNS`."""
    stored = dict(zip(FIELDS, row, strict=True))
    token, lease_until = stored["claim_token"], stored["lease_until"]
    return Notice(
        message_id=id_text(stored["message_id"]),
        kind=NoticeKind(stored["kind"]),
        language=Language(stored["language"]),
        address_hash=stored["address_hash"],
        sealed=stored["sealed"],
        queued_at=from_microseconds(stored["queued_at"]),
        expires_at=from_microseconds(stored["expires_at"]),
        due_at=from_microseconds(stored["due_at"]),
        state=State(stored["state"]),
        reason=Reason(stored["reason"]) if stored["reason"] else None,
        changed_at=from_microseconds(stored["changed_at"]),
        reply=stored["reply"],
        attempts=stored["attempts"],
        claim=Claim(token=token, lease_until=from_microseconds(lease_until)) if token else None,
        shop_number=stored["shop"],
        refused_at=instant_or_none(stored["refused_at"]),
    )


@attrs.frozen
class SqlNotices(SqlDeliveries[Notice]):
    """Implements `ports.Notices`."""

    _held = HeldRows("messages", COLUMNS, "message_id", _notice_from)

    def add(self, notice: Notice) -> None:
        self._connection.execute(_ADD, _parameters(notice))

    def add_or_renew(self, notice: Notice) -> bool:
        return self._connection.execute(_ADD_OR_RENEW, _parameters(notice)).rowcount > 0

    def find(self, message_id: str) -> Notice | None:
        row = self._connection.execute(_FIND, {"message_id": id_bytes(message_id)}).fetchone()
        return _notice_from(row) if row else None

    def find_all(self, asked: Collection[ItemKey]) -> Mapping[ItemKey, Notice]:
        found = [self.find(message_id) for shop, message_id in asked if shop == SHOP_OF_NOTICES]  # rarely more than one
        return {each.key: each for each in found if each}

    def due(self, now: datetime, limit: int) -> Sequence[Notice]:
        return self._chosen(_DUE + self._skip_locked, {"now": to_microseconds(now), "most": limit})

    def is_any_due(self, now: datetime) -> bool:
        return self._connection.execute(_IS_ANY_DUE, {"now": to_microseconds(now)}).fetchone() is not None

    def overdue(self, before: datetime, limit: int) -> Sequence[Notice]:
        return self._chosen(_OVERDUE + self._skip_locked, {"before": to_microseconds(before), "most": limit})

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Notice]:
        if until is None:
            return self._past_the_fence(limit)
        return self._chosen(_IN_DOUBT, {"until": to_microseconds(until), "most": limit})

    def of_address(self, address_hash: bytes) -> Sequence[Notice]:
        return self._chosen(_OF_ADDRESS, {"address_hash": address_hash})

    def change(self, before: Notice, after: Notice) -> bool:
        changed = {
            **_parameters(after),
            "keeps": int(after.sealed is not None),
            "before_state": str(before.state),
            "before_token": before.claim.token if before.claim else _NO_TOKEN,
            "no_token": _NO_TOKEN,
        }
        return self._connection.execute(_CHANGE, changed).rowcount > 0

    def change_all(self, changes: Sequence[tuple[Notice, Notice]]) -> Sequence[bool]:
        return [self.change(before, after) for before, after in changes]

    def forget_content(self, message_id: str) -> bool:
        return self._connection.execute(_FORGET_CONTENT, {"message_id": id_bytes(message_id)}).rowcount > 0

    def sweep(self, before: datetime, limit: int) -> int:
        return self._connection.execute(_SWEEP, {"before": to_microseconds(before), "most": limit}).rowcount
