"""Where an order was reported, and whether that confirms it (ADR-65).

The flag for orders reported by browsers becomes the number of a source: 0 is unknown, 1 the snippet, so no row is
rewritten. Confirmation only matters for the snippet's orders: 0 is missing, 1 given, 2 too late.
"""

# The ordinal of 1970-01-01, from which instants count microseconds.
_DAY = "written_at / 86400000000 + 719163"

STATEMENTS = (
    "ALTER TABLE invitations RENAME COLUMN by_snippet TO source",
    "ALTER TABLE invitations ADD COLUMN key_id TEXT",
    "ALTER TABLE invitations ADD COLUMN confirmation BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE reviews ADD COLUMN source BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE reviews ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 1",
    """
    UPDATE reviews SET source = 1, confirmed = 0 WHERE EXISTS (
        SELECT 1 FROM invitations
        WHERE invitations.shop = reviews.shop AND invitations.invite_id = reviews.invite_id AND invitations.source = 1
    )
    """,
    """
    UPDATE invitations SET confirmation = 2 WHERE EXISTS (
        SELECT 1 FROM reviews
        WHERE reviews.shop = invitations.shop AND reviews.invite_id = invitations.invite_id AND reviews.confirmed = 0
    )
    """,
    "ALTER TABLE review_figures ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 0",
    "UPDATE review_figures SET confirmed = ones + twos + threes + fours + fives WHERE span = 'day'",
    f"""
    INSERT INTO review_figures (shop, span, first_day, ones, twos, threes, fours, fives, confirmed)
    SELECT shop, 'day', {_DAY}, 0, 0, 0, 0, 0, -COUNT(*) FROM reviews
    WHERE confirmed = 0 AND state = 'published' GROUP BY shop, {_DAY}
    ON CONFLICT (shop, span, first_day) DO UPDATE SET confirmed = review_figures.confirmed + excluded.confirmed
    """,
    # Every day that is kept has its month: all days from one month to the next one that is kept are the former's.
    """
    UPDATE review_figures SET confirmed = COALESCE((
        SELECT SUM(days.confirmed) FROM review_figures AS days
        WHERE days.shop = review_figures.shop AND days.span = 'day' AND days.first_day >= review_figures.first_day
          AND days.first_day < COALESCE((
            SELECT MIN(later.first_day) FROM review_figures AS later
            WHERE later.shop = review_figures.shop AND later.span = 'month'
              AND later.first_day > review_figures.first_day
          ), 3652060)
    ), 0) WHERE span = 'month'
    """,
)
