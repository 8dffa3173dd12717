"""Shops' hosts, daily counters, an index of admissions by time, and a flag for orders reported by browsers."""

STATEMENTS = (
    """
    CREATE TABLE domains (
        shop BIGINT NOT NULL REFERENCES shops (number),
        host TEXT NOT NULL,
        token TEXT NOT NULL,
        added_at BIGINT NOT NULL,
        verified_at BIGINT,
        vouched BIGINT NOT NULL,
        checked_at BIGINT,
        missing_since BIGINT,
        lost_at BIGINT,
        reason TEXT NOT NULL,
        PRIMARY KEY (shop, host)
    )
    """,
    "CREATE UNIQUE INDEX domains_verified ON domains (host) WHERE verified_at IS NOT NULL",
    """
    CREATE TABLE day_tallies (
        shop BIGINT NOT NULL,
        subject TEXT NOT NULL,
        day BIGINT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (shop, subject, day)
    ) {clustered}
    """,
    "CREATE INDEX admissions_by_time ON admissions (admitted_at)",
    "ALTER TABLE invitations ADD COLUMN by_snippet BIGINT NOT NULL DEFAULT 0",
)
