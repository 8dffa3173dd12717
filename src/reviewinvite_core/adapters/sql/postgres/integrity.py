"""What `db check` asks of PostgreSQL, beyond what the server keeps by itself."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection

# The server checks its pages and references. The common schema refers to invitations without saying so (ADR-14), and
# a reference is not kept in a restore that was let fail or had triggers disabled.
_COUNTS = {
    "orders refer to an invitation that is not there": """
        SELECT COUNT(*) FROM orders WHERE NOT EXISTS (
            SELECT 1 FROM invitations
            WHERE invitations.shop = orders.shop AND invitations.invite_id = orders.invite_id
        )
    """,
    "invitations are of a shop that is not there": """
        SELECT COUNT(*) FROM invitations WHERE NOT EXISTS (SELECT 1 FROM shops WHERE shops.number = invitations.shop)
    """,
    "changes are of an invitation that is not there": """
        SELECT COUNT(*) FROM changes WHERE NOT EXISTS (
            SELECT 1 FROM invitations
            WHERE invitations.shop = changes.shop AND invitations.invite_id = changes.invite_id
        )
    """,
    "reviews are of an invitation that is not there": """
        SELECT COUNT(*) FROM reviews WHERE NOT EXISTS (
            SELECT 1 FROM invitations
            WHERE invitations.shop = reviews.shop AND invitations.invite_id = reviews.invite_id
        )
    """,
    "changes of reviews are of a review that is not there": """
        SELECT COUNT(*) FROM review_changes WHERE NOT EXISTS (
            SELECT 1 FROM reviews
            WHERE reviews.shop = review_changes.shop AND reviews.review_id = review_changes.review_id
        )
    """,
}
_OFF = """
SELECT name FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
"""


def problems(connection: BoundedConnection) -> Sequence[str]:
    """What is wrong, in words: rows that refer to nothing, and settings with which what is acknowledged may be lost."""
    counted = {words: connection.execute(statement.encode()).fetchone() for words, statement in _COUNTS.items()}
    return [
        *(f"{row[0]} {words}" for words, row in counted.items() if row and row[0]),
        *(
            f"the server has {name} off: what was acknowledged may be lost with its power"
            for (name,) in connection.execute(_OFF)
        ),
    ]
