"""Where an order was reported, and whether that confirms it (ADR-65).

The flag for orders reported by browsers becomes the number of a source: 0 is unknown, 1 the snippet, so no row is
rewritten. Confirmation only matters for the snippet's orders: 0 is missing, 1 given, 2 too late.
"""

STATEMENTS = (
    "ALTER TABLE invitations RENAME COLUMN by_snippet TO source",
    "ALTER TABLE invitations ADD COLUMN key_id TEXT",
    "ALTER TABLE invitations ADD COLUMN confirmation BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE reviews ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 1",
    """
    UPDATE reviews SET confirmed = 0 WHERE EXISTS (
        SELECT 1 FROM invitations
        WHERE invitations.shop = reviews.shop AND invitations.invite_id = reviews.invite_id AND source = 1
    )
    """,
    """
    UPDATE invitations SET confirmation = 2 WHERE EXISTS (
        SELECT 1 FROM reviews
        WHERE reviews.shop = invitations.shop AND reviews.invite_id = invitations.invite_id AND confirmed = 0
    )
    """,
)
