"""Change many invitations in one statement, and so in one round trip (ADR-50)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.invitation_rows import NO_TOKEN, change_row
from reviewinvite_core.domain.identifiers import id_text
from reviewinvite_core.domain.invitations import Invitation

# Arrays, so that one prepared statement serves any number of rows. The casts are for arrays with nothing but NULL.
_CHANGE_ALL = """
WITH asked AS (
    SELECT * FROM unnest(
        CAST(:shop AS BIGINT[]), CAST(:invite_id AS BYTEA[]), CAST(:before_state AS TEXT[]),
        CAST(:before_token AS BYTEA[]), CAST(:state AS TEXT[]), CAST(:reason AS TEXT[]), CAST(:changed_at AS BIGINT[]),
        CAST(:reply AS TEXT[]), CAST(:attempts AS BIGINT[]), CAST(:due_at AS BIGINT[]),
        CAST(:first_tried_at AS BIGINT[]), CAST(:claim_token AS BYTEA[]), CAST(:lease_until AS BIGINT[]),
        CAST(:refused_at AS BIGINT[]), CAST(:epoch AS BIGINT[])
    ) AS one (
        shop, invite_id, before_state, before_token,
        state, reason, changed_at, reply, attempts, due_at, first_tried_at, claim_token, lease_until,
        refused_at, epoch
    )
), moved AS (
    UPDATE invitations
    SET state = asked.state, reason = asked.reason, changed_at = asked.changed_at, reply = asked.reply,
        attempts = asked.attempts, due_at = asked.due_at, first_tried_at = asked.first_tried_at,
        claim_token = asked.claim_token, lease_until = asked.lease_until,
        refused_at = asked.refused_at, epoch = asked.epoch
    FROM asked
    WHERE invitations.shop = asked.shop AND invitations.invite_id = asked.invite_id
      AND invitations.state = asked.before_state
      AND COALESCE(invitations.claim_token, :no_token) = asked.before_token
    RETURNING asked.shop, asked.invite_id, asked.state, asked.reason, asked.changed_at, asked.reply,
        invitations.source <> 1 OR invitations.confirmation = 1 AS confirmed
), added AS (
    INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at, reply)
    SELECT shop, invite_id,
        (SELECT COALESCE(MAX(seq), 0) + 1 FROM changes AS known
         WHERE known.shop = moved.shop AND known.invite_id = moved.invite_id),
        state, reason, changed_at, reply
    FROM moved
)
SELECT shop, invite_id, confirmed FROM moved
"""


def change_all(
    connection: Connection, changes: Sequence[tuple[Invitation, Invitation]]
) -> Mapping[tuple[int, str], bool]:
    """Make each change whose invitation is still as before; see `JointChange`."""
    rows = [change_row(before, after) for before, after in changes]
    columns: dict[str, object] = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
    if not columns:
        return {}
    made = connection.execute(_CHANGE_ALL, {**columns, "no_token": NO_TOKEN}).fetchall()
    return {(shop, id_text(invite_id)): confirmed for shop, invite_id, confirmed in made}
