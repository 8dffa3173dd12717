"""Statements for lists of invitations: pages of a shop, the newest first, and those that wait until they are due.

Each is on an index that fits its filters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reviewinvite_core.adapters.sql.invitation_rows import COLUMNS
from reviewinvite_core.adapters.sql.relay import IS_OUTAGE
from reviewinvite_core.domain.invitation_states import State

AFTER_EVERY_ID = b"\xff" * 17  # always given: otherwise SQLite would not choose the index

_PAGE = f"""
SELECT {COLUMNS} FROM invitations WHERE shop = :shop AND %s
ORDER BY invite_id DESC LIMIT :most
"""
_OF_ANY_STATE = _PAGE % "invite_id < :before"
_OF_ORDER = f"""
SELECT {COLUMNS} FROM invitations
WHERE shop = :shop AND invite_id < :before AND order_number = :order_number
  AND (CAST(:state AS TEXT) IS NULL OR state = :state)
ORDER BY invite_id DESC LIMIT :most
"""
_IS_SETTLED = "state <> 'scheduled' AND state <> 'claimed' AND state <> 'handing_over'"  # as in the partial index
_SETTLED = _PAGE % f"invite_id < :before AND {_IS_SETTLED} AND state = :state"
# Invitations that wait or are being handed over have no index by shop, which each order would write to. Those that wait
# are mostly the newest; the others are found among those of all shops. `+` keeps SQLite from the key of the table.
_AMONG_NEWEST = f"""
SELECT {COLUMNS} FROM (
    SELECT * FROM invitations WHERE shop = :shop AND invite_id < :before ORDER BY invite_id DESC LIMIT 400
) AS invitations
WHERE state = :state ORDER BY invite_id DESC LIMIT :most
"""
_AMONG_ALL = f"""
SELECT {COLUMNS} FROM invitations WHERE shop = :shop AND invite_id IN (
    SELECT invite_id FROM invitations
    WHERE %s AND +shop = :shop AND invite_id < :before ORDER BY invite_id DESC LIMIT :most
)
ORDER BY invite_id DESC
"""
_WAITING = _AMONG_ALL % "state = 'scheduled' AND due_at >= 0"
_BEING_HANDED_OVER = _AMONG_ALL % "state IN ('claimed', 'handing_over') AND state = :state AND lease_until >= 0"

_NEVER_STORED = re.compile("[\0\ud800-\udfff]")


def may_be_stored(order_number: str | None) -> bool:
    """Return whether an order may have this number; a query cannot contain NUL or a lone surrogate."""
    return order_number is None or _NEVER_STORED.search(order_number) is None


def page_statements(state: State | None, *, by_number: bool) -> Sequence[str]:
    """Return the statements for a page, the cheapest first: the first that fills the page, or else the last, has it.

    `by_number` is whether the invitations of one order number are listed.
    """
    if by_number:
        return (_OF_ORDER,)
    match state:
        case None:
            return (_OF_ANY_STATE,)
        case State.SCHEDULED:
            return _AMONG_NEWEST, _WAITING
        case State.CLAIMED | State.HANDING_OVER:
            return (_BEING_HANDED_OVER,)
        case _:
            return (_SETTLED,)


# EXISTS, because IN would search the whole table shop by shop.
_DUE = f"""
SELECT {COLUMNS} FROM invitations
WHERE state = 'scheduled' AND due_at >= :since AND due_at <= :now
  AND EXISTS (SELECT 1 FROM shops WHERE shops.number = invitations.shop AND shops.active = 1)
  AND {{}}
ORDER BY due_at, shop, invite_id
LIMIT :most
"""
DUE_NO_OUTAGE = _DUE.format(f"NOT {IS_OUTAGE}")
DUE_OF_SHOP = _DUE.format("shop = :shop")
DUE_NOT_REFUSED = _DUE.format("NOT EXISTS (SELECT 1 FROM refused_mail WHERE refused_mail.shop = invitations.shop)")
OVERDUE = f"""
SELECT {COLUMNS} FROM invitations
WHERE state = 'scheduled' AND due_at < :before ORDER BY due_at, shop, invite_id LIMIT :most
"""
COUNT_DUE = """
SELECT COUNT(*) FROM (
    SELECT 1 FROM invitations
    WHERE state = 'scheduled' AND due_at <= :now
      AND EXISTS (SELECT 1 FROM shops WHERE shops.number = invitations.shop AND shops.active = 1)
    LIMIT :most
) AS due
"""
OLDEST_DUE = """
SELECT due_at FROM invitations
WHERE state = 'scheduled' AND due_at <= :now
  AND EXISTS (SELECT 1 FROM shops WHERE shops.number = invitations.shop AND shops.active = 1)
ORDER BY due_at LIMIT 1
"""
