"""Find and change many invitations with one set of statements (ADR-50)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.invitation_rows import (
    COLUMNS,
    id_bytes,
    id_text,
    invitation_from,
    moved_row,
)
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params
from reviewinvite_core.domain.invitations import Invitation

_NO_TOKEN = b""
_KEY_ROW = "(CAST(:shop_# AS BIGINT), :invite_id_#)"
_FIND_ALL = f"""
WITH asked (shop, invite_id) AS (VALUES {{rows}})
SELECT {COLUMNS} FROM asked CROSS JOIN invitations
WHERE invitations.shop = asked.shop AND invitations.invite_id = asked.invite_id
"""
# The casts are for PostgreSQL, which takes a column with nothing but NULL for text.
_CHANGE_ROW = """(
    CAST(:shop_# AS BIGINT), :invite_id_#, :before_state_#, :before_token_#,
    :state_#, :reason_#, CAST(:changed_at_# AS BIGINT), CAST(:reply_# AS TEXT), CAST(:attempts_# AS BIGINT),
    CAST(:due_at_# AS BIGINT), CAST(:first_tried_at_# AS BIGINT), :token_#, CAST(:lease_until_# AS BIGINT)
)"""
_CHANGE_ALL = """
WITH asked (
    shop, invite_id, before_state, before_token,
    state, reason, changed_at, reply, attempts, due_at, first_tried_at, token, lease_until
) AS (VALUES {rows})
UPDATE invitations
SET state = asked.state, reason = asked.reason, changed_at = asked.changed_at, reply = asked.reply,
    attempts = asked.attempts, due_at = asked.due_at, first_tried_at = asked.first_tried_at,
    claim_token = NULLIF(asked.token, :no_token), lease_until = asked.lease_until
FROM asked
WHERE invitations.shop = asked.shop AND invitations.invite_id = asked.invite_id
  AND invitations.state = asked.before_state AND COALESCE(invitations.claim_token, :no_token) = asked.before_token
RETURNING invitations.shop, invitations.invite_id
"""
# What is new in the history is what the rows now hold.
_ADD_CHANGES = """
WITH asked (shop, invite_id) AS (VALUES {rows})
INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at, reply)
SELECT one.shop, one.invite_id,
    (SELECT COALESCE(MAX(seq), 0) + 1 FROM changes AS known
     WHERE known.shop = one.shop AND known.invite_id = one.invite_id),
    one.state, one.reason, one.changed_at, one.reply
FROM asked CROSS JOIN invitations AS one
WHERE one.shop = asked.shop AND one.invite_id = asked.invite_id
"""

_Key = tuple[int, str]


def find_all(connection: Connection, asked: Collection[_Key]) -> Mapping[_Key, Invitation]:
    """Return the invitations with these keys; unknown ones are left out."""
    found = {}
    for portion in chunks([{"shop": shop, "invite_id": id_bytes(invite_id)} for shop, invite_id in asked]):
        statement = expand_values(_FIND_ALL, _KEY_ROW, len(portion))
        for row in connection.execute(statement, flatten_params(portion)).fetchall():
            invitation = invitation_from(row)
            found[invitation.shop_number, invitation.invite_id] = invitation
    return found


def change_all(connection: Connection, changes: Sequence[tuple[Invitation, Invitation]]) -> Collection[_Key]:
    """Make each change whose invitation is still as before; return the keys of those made."""
    made: set[_Key] = set()
    for portion in chunks([_change_row(before, after) for before, after in changes]):
        statement = expand_values(_CHANGE_ALL, _CHANGE_ROW, len(portion))
        parameters = {**flatten_params(portion), "no_token": _NO_TOKEN}
        rows = connection.execute(statement, parameters).fetchall()
        keys = [{"shop": shop, "invite_id": stored} for shop, stored in rows]
        if keys:
            connection.execute(expand_values(_ADD_CHANGES, _KEY_ROW, len(keys)), flatten_params(keys))
        made.update((key["shop"], id_text(key["invite_id"])) for key in keys)
    return made


def _change_row(before: Invitation, after: Invitation) -> dict[str, object]:
    return {
        **moved_row(after),
        "before_state": before.state.value,
        "before_token": before.claim.token if before.claim else _NO_TOKEN,
        "token": after.claim.token if after.claim else _NO_TOKEN,
    }
