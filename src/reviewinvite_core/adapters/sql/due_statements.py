"""Statements that find the invitations that wait until they are due."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.invitation_rows import COLUMNS
from reviewinvite_core.adapters.sql.relay import IS_OUTAGE

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
