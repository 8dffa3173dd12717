"""Figures about a shop's invitations by week, and when its badge was first seen on one of its pages (ADR-58)."""

STATEMENTS = (
    """
    CREATE TABLE invitation_figures (
        shop BIGINT NOT NULL,
        week BIGINT NOT NULL,
        state TEXT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (shop, week, state)
    ) {clustered}
    """,
    # A week is the proleptic Gregorian ordinal of its Monday; 1970 began on day 719,163, and day 1 was a Monday.
    # Uncertain invitations may leave their state, so they are counted under day 1.
    """
    INSERT INTO invitation_figures (shop, week, state, counted)
    SELECT shop, CASE state WHEN 'uncertain' THEN 1 ELSE (changed_at / 86400000000 + 719162) / 7 * 7 + 1 END AS monday,
        state, COUNT(*)
    FROM invitations WHERE state NOT IN ('scheduled', 'claimed', 'handing_over')
    GROUP BY 1, 2, 3
    """,
    "ALTER TABLE shops ADD COLUMN badge_seen_at BIGINT",
)
