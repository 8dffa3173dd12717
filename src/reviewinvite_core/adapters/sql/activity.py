"""Shops' activity logs as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.domain.activity import REPLY_TO, Action, Activity, first_id_at
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_COLUMNS = "shop, activity_id, at, actor_kind, actor_id, action, subject"
_ADD = f"""
INSERT INTO activity ({_COLUMNS}) VALUES (:shop, :activity_id, :at, :actor_kind, :actor_id, :action, :subject)
"""
_NEWEST = f"""
SELECT {_COLUMNS} FROM activity
WHERE shop = :shop AND activity_id < :after AND activity_id >= :since
ORDER BY activity_id DESC LIMIT :most
"""
_NTH_NEWEST_NOTICE = """
SELECT at FROM activity
WHERE shop = :shop AND activity_id >= :first AND at > :after AND at <= :until AND actor_kind = :member
    AND (action IN (:added, :key_created, :role_changed) OR (action = :changed AND subject LIKE :reply_to))
ORDER BY at DESC LIMIT 1 OFFSET :newer
"""
_NTH_NEWEST_ADDITION = """
SELECT at FROM activity
WHERE at > :after AND at <= :until AND actor_kind = :member AND action = :added AND subject IN (:as_owner, :as_staff)
ORDER BY at DESC LIMIT 1 OFFSET :newer
"""
_SWEEP = """
DELETE FROM activity WHERE (shop, activity_id) IN (
    SELECT shop, activity_id FROM activity WHERE at < :before LIMIT :most
)
"""
_LAST = b"\xff" * 16
_FIRST = bytes(16)


@attrs.frozen
class SqlActivityLog:
    """Implements `ports.ActivityLog`."""

    _connection: Connection

    def add(self, activity: Activity) -> None:
        self._connection.execute(
            _ADD,
            {
                "shop": activity.shop_number,
                "activity_id": id_bytes(activity.activity_id),
                "at": to_microseconds(activity.at),
                "actor_kind": activity.actor.kind.value,
                "actor_id": activity.actor.id,
                "action": activity.action.value,
                "subject": activity.subject,
            },
        )

    def newest(self, shop_number: int, *, after: str | None, since: datetime | None, limit: int) -> Sequence[Activity]:
        asked = {
            "shop": shop_number,
            "after": id_bytes(after) if after else _LAST,
            "since": id_bytes(first_id_at(since)) if since else _FIRST,
            "most": limit,
        }
        return [_activity_from(row) for row in self._connection.execute(_NEWEST, asked).fetchall()]

    def nth_newest_notice(self, shop_number: int, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        asked = {
            "shop": shop_number,
            "first": id_bytes(first_id_at(after)),
            "key_created": Action.KEY_CREATED.value,
            "role_changed": Action.MEMBER_ROLE_CHANGED.value,
            "changed": Action.SHOP_SETTINGS_CHANGED.value,
            "reply_to": f"%{REPLY_TO}%",
        }
        return self._nth_newest(_NTH_NEWEST_NOTICE, asked, nth, after, until)

    def nth_newest_addition(self, member_id: str, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        asked = {"as_owner": f"{member_id} {Role.OWNER}", "as_staff": f"{member_id} {Role.STAFF}"}
        return self._nth_newest(_NTH_NEWEST_ADDITION, asked, nth, after, until)

    def _nth_newest(
        self, statement: str, asked: Mapping[str, object], nth: int, after: datetime, until: datetime
    ) -> datetime | None:
        span = {"after": to_microseconds(after), "until": to_microseconds(until), "newer": nth - 1}
        kinds = {"member": ActorKind.MEMBER.value, "added": Action.MEMBER_ADDED.value}
        row = self._connection.execute(statement, {**asked, **span, **kinds}).fetchone()
        return from_microseconds(row[0]) if row else None

    def sweep(self, before: datetime, limit: int) -> int:
        return self._connection.execute(_SWEEP, {"before": to_microseconds(before), "most": limit}).rowcount


def _activity_from(row: Row) -> Activity:
    shop, activity_id, at, actor_kind, actor_id, action, subject = row
    return Activity(
        activity_id=id_text(bytes(activity_id)),
        shop_number=shop,
        at=from_microseconds(at),
        actor=ActorRef(ActorKind(actor_kind), actor_id),
        action=Action(action),
        subject=subject,
    )
