"""Invitations, their history and their orders, as rows. The shop is first in every key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

import attrs

from reviewinvite_core.adapters.sql import shops
from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.deliveries import HeldRows, SqlDeliveries
from reviewinvite_core.adapters.sql.invitation_figures import SqlInvitationFigures
from reviewinvite_core.adapters.sql.invitation_lists import (
    AFTER_EVERY_ID,
    COUNT_DUE,
    DUE_NO_OUTAGE,
    DUE_NOT_REFUSED,
    DUE_OF_SHOP,
    OLDEST_DUE,
    OVERDUE,
    may_be_stored,
    page_statements,
)
from reviewinvite_core.adapters.sql.invitation_rows import (
    COLUMNS,
    FIELDS,
    NO_TOKEN,
    change_from,
    change_row,
    contact_from,
    invitation_from,
    new_row,
)
from reviewinvite_core.adapters.sql.rows import (
    ASKED_ADDRESS_ROW,
    chunks,
    expand_values,
    flatten_params,
    placed_rows_for,
)
from reviewinvite_core.domain.frequency import Contact, Contacts, Recipient
from reviewinvite_core.domain.identifiers import id_bytes
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_REGISTER_ORDERS = """
INSERT INTO orders (shop, address_hash, dedup_hash, invite_id, first_reported_at) VALUES {rows}
ON CONFLICT (shop, address_hash, dedup_hash) DO NOTHING RETURNING invite_id
"""
_ORDER_ROW = "(:shop_#, :address_hash_#, :dedup_hash_#, :invite_id_#, :reported_at_#)"
# The row stays, since by it the address finds its invitation; no report has an invitation's id as its dedup hash.
_RELEASE_ORDER = """
UPDATE orders SET dedup_hash = invite_id
WHERE shop = :shop AND address_hash = :address_hash AND dedup_hash = :dedup_hash AND first_reported_at <= :since
"""
_OF_TRIED = ("reply", "first_tried_at", "claim_token", "lease_until", "refused_at", "epoch")
_OF_NEW = tuple(field for field in FIELDS if field not in _OF_TRIED)
_ADD = f"INSERT INTO invitations ({', '.join(_OF_NEW)}) VALUES {{rows}}"
_INVITATION_ROW = f"({', '.join(f':{field}_#' for field in _OF_NEW)})"
_OF_ORDER = f"""
SELECT {COLUMNS} FROM orders
JOIN invitations ON invitations.shop = orders.shop AND invitations.invite_id = orders.invite_id
WHERE orders.shop = :shop AND orders.address_hash = :address_hash AND orders.dedup_hash = :dedup_hash
"""
_FIND = f"""
SELECT {COLUMNS} FROM invitations WHERE shop = :shop AND invite_id = :invite_id
"""
_FIND_ALL = f"""
WITH asked (shop, invite_id) AS (VALUES {{rows}})
SELECT {COLUMNS} FROM asked CROSS JOIN invitations
WHERE invitations.shop = asked.shop AND invitations.invite_id = asked.invite_id
"""
_KEY_ROW = "(CAST(:shop_# AS BIGINT), :invite_id_#)"
_LOCATE = f"""
SELECT {COLUMNS} FROM invitations
WHERE shop IN (SELECT number FROM shops) AND invite_id = :invite_id
"""
_NEWEST = f"""
SELECT {COLUMNS}, {shops.COLUMNS} FROM invitations JOIN shops ON shops.number = invitations.shop
WHERE (CAST(:shop AS BIGINT) IS NULL OR invitations.shop = :shop)
  AND %s
ORDER BY invitations.reported_at DESC, invitations.invite_id DESC
LIMIT :most
"""
_UNCERTAIN = f"""
SELECT {COLUMNS} FROM invitations
WHERE state = 'uncertain' AND (CAST(:shop AS BIGINT) IS NULL OR shop = :shop)
  AND (CAST(:reason AS TEXT) IS NULL OR reason = :reason) AND (shop, invite_id) > (:after_shop, :after_id)
ORDER BY shop, invite_id LIMIT :most
"""
_IS_UNCERTAIN = "invitations.state = 'uncertain'"  # a literal, as in the partial index
_HAS_STATE = "(CAST(:state AS TEXT) IS NULL OR invitations.state = :state)"
_IS_BEFORE = "invitations.invite_id < :before"
_HAS_ORDER_NUMBER = "invitations.order_number = :order_number"
_IN_DOUBT = f"""
SELECT {COLUMNS} FROM invitations WHERE state IN ('claimed', 'handing_over')
ORDER BY lease_until, shop, invite_id LIMIT :most
"""
_IN_DOUBT_WAITING = f"""
SELECT {COLUMNS} FROM invitations
WHERE state = 'scheduled' AND (due_at <= :until OR scheduled_for <= :until)
ORDER BY due_at, shop, invite_id LIMIT :most
"""
# The orders first: otherwise SQLite would scan all invitations of a shop. One query per shop, so that the key is used
# even if the table is distributed over machines by shop.
_OF_ADDRESS = f"""
SELECT {COLUMNS} FROM orders AS found CROSS JOIN invitations
WHERE found.shop {{}} AND found.address_hash = :address_hash
  AND invitations.shop = found.shop AND invitations.invite_id = found.invite_id
ORDER BY invitations.shop, invitations.invite_id
"""
_OF_ADDRESS_AT_ALL = _OF_ADDRESS.format("IN (SELECT number FROM shops)")
_OF_ADDRESS_AT_ONE = _OF_ADDRESS.format("= :shop")
_CONTACTS = """
WITH asked (place, shop, address_hash) AS (VALUES {rows})
SELECT asked.place, one.invite_id, one.state, one.due_at, one.changed_at, one.source <> 1 OR one.confirmation = 1,
    (SELECT changed_at FROM changes
     WHERE shop = one.shop AND invite_id = one.invite_id AND state = 'handing_over' ORDER BY seq DESC LIMIT 1),
    (SELECT changed_at FROM changes
     WHERE shop = one.shop AND invite_id = one.invite_id AND state = 'uncertain' ORDER BY seq DESC LIMIT 1)
FROM asked CROSS JOIN orders AS found CROSS JOIN invitations AS one
WHERE found.shop = asked.shop AND found.address_hash = asked.address_hash
  AND one.shop = found.shop AND one.invite_id = found.invite_id
  AND one.state IN ('scheduled', 'claimed', 'handing_over', 'sent', 'uncertain')
"""
_TO_ERASE = f"""
SELECT {COLUMNS} FROM invitations
WHERE sealed_address IS NOT NULL AND scheduled_for < :before AND state <> 'handing_over'
ORDER BY scheduled_for, shop, invite_id LIMIT :most
"""
_FORGET_ADDRESS = """
UPDATE invitations SET sealed_address = NULL
WHERE shop = :shop AND invite_id = :invite_id AND sealed_address IS NOT NULL
"""
_CHANGE = """
UPDATE invitations
SET state = :state, reason = :reason, changed_at = :changed_at, reply = :reply, attempts = :attempts,
    due_at = :due_at, first_tried_at = :first_tried_at, claim_token = :claim_token, lease_until = :lease_until,
    refused_at = :refused_at, epoch = :epoch
WHERE shop = :shop AND invite_id = :invite_id
  AND state = :before_state AND COALESCE(claim_token, :no_token) = :before_token
RETURNING source <> 1 OR confirmation = 1
"""
_ADD_CHANGE = """
INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at, reply)
SELECT :shop, :invite_id, COALESCE(MAX(seq), 0) + 1, :state, :reason, :changed_at, :reply
FROM changes WHERE shop = :shop AND invite_id = :invite_id
"""
# Of two units, the one that first changes this row decides: the other finds the confirmation no longer missing.
_SETTLE = """
UPDATE invitations SET confirmation = :settled
WHERE shop = :shop AND invite_id = :invite_id AND source = 1 AND confirmation = 0
RETURNING state, reason, changed_at
"""
_HISTORY = """
SELECT state, reason, changed_at, reply FROM changes
WHERE shop = :shop AND invite_id = :invite_id ORDER BY seq
"""

JointChange: TypeAlias = Callable[[Connection, Sequence[tuple[Invitation, Invitation]]], Mapping[tuple[int, str], bool]]
"""Makes each change whose invitation is still as before, in one statement.

It returns the keys of those made, and whether the order of each is confirmed.
"""


@attrs.frozen
class SqlInvitations(SqlDeliveries[Invitation]):
    """Implements `ports.Invitations`.

    Without `joint_change`, many changes are made one by one: that is cheaper if a statement is no round trip.
    """

    _held = HeldRows("invitations", COLUMNS, "shop, invite_id", invitation_from)

    _figures: SqlInvitationFigures
    _joint_change: JointChange | None = None

    def schedule(self, orders: Sequence[tuple[Invitation, DedupKey]]) -> Sequence[Invitation]:
        stored: list[Invitation] = []
        for portion in chunks(orders):
            added = self._added([new_row(invitation, dedup) for invitation, dedup in portion])
            stored += [
                invitation if id_bytes(invitation.invite_id) in added else self._of_known_order(invitation, dedup)
                for invitation, dedup in portion
            ]
        return stored

    def _added(self, new: Sequence[Mapping[str, object]]) -> frozenset[bytes]:
        """Add the invitations whose orders are new; return their ids."""
        register, values = expand_values(_REGISTER_ORDERS, _ORDER_ROW, len(new)), flatten_params(new)
        rows = self._connection.execute(register, values).fetchall()
        registered = frozenset(bytes(invite_id) for (invite_id,) in rows)
        added = [row for row in new if row["invite_id"] in registered]
        if added:
            values = values if len(added) == len(new) else flatten_params(added)
            self._connection.execute(expand_values(_ADD, _INVITATION_ROW, len(added)), values)
        return registered

    def _of_known_order(self, invitation: Invitation, dedup: DedupKey) -> Invitation:
        """Return a known order's invitation, or the new one if the report by now counts as another order."""
        new = new_row(invitation, dedup)
        since = dedup.same_order_since(invitation.reported_at)
        release = {**new, "since": to_microseconds(since)} if since else None
        if release and self._connection.execute(_RELEASE_ORDER, release).rowcount and self._added([new]):
            return invitation
        return invitation_from(self._connection.execute(_OF_ORDER, new).fetchone())

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        key = {"shop": shop_number, "invite_id": id_bytes(invite_id)}
        row = self._connection.execute(_FIND, key).fetchone()
        return invitation_from(row) if row else None

    def find_all(self, asked: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], Invitation]:
        found: list[Invitation] = []
        for portion in chunks([{"shop": shop, "invite_id": id_bytes(invite_id)} for shop, invite_id in asked]):
            if len(portion) == 1:  # the plain statement is faster for one
                found += self._chosen(_FIND, {**portion[0]})
            else:
                found += self._chosen(expand_values(_FIND_ALL, _KEY_ROW, len(portion)), flatten_params(portion))
        return {(each.shop_number, each.invite_id): each for each in found}

    def locate(self, invite_id: str) -> Invitation | None:
        row = self._connection.execute(_LOCATE, {"invite_id": id_bytes(invite_id)}).fetchone()
        return invitation_from(row) if row else None

    def newest(
        self,
        *,
        shop: Shop | None,
        state: State | None,
        limit: int,
        before: str | None = None,
        order_number: str | None = None,
    ) -> Sequence[tuple[Shop, Invitation]]:
        if not may_be_stored(order_number):
            return ()
        chosen = {
            "shop": shop.number if shop else None,
            "state": state.value if state else None,
            "before": id_bytes(before) if before else None,
            "order_number": order_number,
            "most": limit,
        }
        width = len(FIELDS)
        conditions = [_IS_UNCERTAIN if state is State.UNCERTAIN else _HAS_STATE]
        conditions += [_IS_BEFORE] if before else []
        conditions += [_HAS_ORDER_NUMBER] if order_number is not None else []
        rows = self._connection.execute(_NEWEST % " AND ".join(conditions), chosen).fetchall()
        return [(shops.shop_from(row[width:]), invitation_from(row[:width])) for row in rows]

    def uncertain(
        self, *, shop: Shop | None, reason: Reason | None, after: Invitation | None, limit: int
    ) -> Sequence[Invitation]:
        chosen: dict[str, object] = {
            "shop": shop.number if shop else None,
            "reason": reason.value if reason else None,
            "after_shop": after.shop_number if after else 0,
            "after_id": id_bytes(after.invite_id) if after else b"",
            "most": limit,
        }
        return self._chosen(_UNCERTAIN, chosen)

    def of_shop(
        self, shop_number: int, *, before: str | None, order_number: str | None, limit: int, state: State | None = None
    ) -> Sequence[Invitation]:
        if not may_be_stored(order_number):
            return ()
        asked: dict[str, object] = {
            "shop": shop_number,
            "before": id_bytes(before) if before else AFTER_EVERY_ID,
            "order_number": order_number,
            "state": state.value if state else None,
            "most": limit,
        }
        found: Sequence[Invitation] = ()
        for statement in page_statements(state, by_number=order_number is not None):
            found = self._chosen(statement, asked)
            if len(found) == limit:
                break
        return found

    def history(self, invitation: Invitation) -> Sequence[Change]:
        first = Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=invitation.reported_at)
        key = {"shop": invitation.shop_number, "invite_id": id_bytes(invitation.invite_id)}
        return [first, *(change_from(row) for row in self._connection.execute(_HISTORY, key).fetchall())]

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        span = {"since": to_microseconds(since), "now": to_microseconds(now)}
        return self._chosen(DUE_NO_OUTAGE + self._skip_locked, {**span, "most": limit})

    def due_in_outage(
        self, since: datetime, now: datetime, limit: int, *, shop_number: int | None
    ) -> Sequence[Invitation]:
        statement = DUE_NOT_REFUSED if shop_number is None else DUE_OF_SHOP
        span = {"since": to_microseconds(since), "now": to_microseconds(now), "shop": shop_number}
        return self._chosen(statement + self._skip_locked, {**span, "most": limit})

    def overdue(self, before: datetime, limit: int) -> Sequence[Invitation]:
        return self._chosen(OVERDUE + self._skip_locked, {"before": to_microseconds(before), "most": limit})

    def count_due(self, now: datetime, most: int) -> int:
        (count,) = self._connection.execute(COUNT_DUE, {"now": to_microseconds(now), "most": most}).fetchone()
        return int(count)

    def oldest_due(self, now: datetime) -> datetime | None:
        row = self._connection.execute(OLDEST_DUE, {"now": to_microseconds(now)}).fetchone()
        return from_microseconds(row[0]) if row else None

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Invitation]:
        if until is None:
            return self._past_the_fence(limit)
        held = self._chosen(_IN_DOUBT, {"most": limit})
        return held or self._chosen(_IN_DOUBT_WAITING, {"until": to_microseconds(until), "most": limit})

    def of_address(self, address_hash: bytes, *, shop_number: int | None) -> Sequence[Invitation]:
        asked: dict[str, object] = {"shop": shop_number, "address_hash": address_hash}
        return self._chosen(_OF_ADDRESS_AT_ALL if shop_number is None else _OF_ADDRESS_AT_ONE, asked)

    def contacts(self, asked: Collection[Recipient]) -> Contacts:
        found: dict[Recipient, list[Contact]] = {}
        recipients = list(asked)
        rows = [{"shop": shop, "address_hash": hashed} for shop, hashed in recipients]
        for place, *row in placed_rows_for(self._connection, _CONTACTS, ASKED_ADDRESS_ROW, rows):
            found.setdefault(recipients[place], []).append(contact_from(row))
        return found

    def to_erase(self, before: datetime, limit: int) -> Sequence[Invitation]:
        return self._chosen(_TO_ERASE, {"before": to_microseconds(before), "most": limit})

    def forget_address(self, invitation: Invitation) -> bool:
        key = {"shop": invitation.shop_number, "invite_id": id_bytes(invitation.invite_id)}
        return self._connection.execute(_FORGET_ADDRESS, key).rowcount > 0

    def settle(self, invitation: Invitation, confirmation: Confirmation) -> bool:
        key = {"shop": invitation.shop_number, "invite_id": id_bytes(invitation.invite_id)}
        settled = self._connection.execute(_SETTLE, {**key, "settled": confirmation.value}).fetchall()
        for state, reason, changed_at in settled if confirmation is Confirmation.GIVEN else ():
            self._figures.confirm(invitation.shop_number, State(state), Reason(reason), from_microseconds(changed_at))
        return bool(settled)

    def change(self, before: Invitation, after: Invitation) -> bool:
        parameters = {**change_row(before, after), "no_token": NO_TOKEN}
        changed = self._connection.execute(_CHANGE, parameters).fetchall()
        for (confirmed,) in changed:
            self._connection.execute(_ADD_CHANGE, parameters)
            self._figures.add(before, after, confirmed=bool(confirmed))
        return bool(changed)

    def change_all(self, changes: Sequence[tuple[Invitation, Invitation]]) -> Sequence[bool]:
        if self._joint_change is None or len(changes) == 1:
            return [self.change(before, after) for before, after in changes]
        made = self._joint_change(self._connection, changes)
        confirmed = [made.get((before.shop_number, before.invite_id)) for before, _ in changes]
        for (before, after), known in zip(changes, confirmed, strict=True):
            if known is not None:
                self._figures.add(before, after, confirmed=known)
        return [known is not None for known in confirmed]
