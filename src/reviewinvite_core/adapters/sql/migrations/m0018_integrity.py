"""Who has opened a shop's dashboard as a member, and whose orders open snippets reported of late (ADR-67).

Whoever was a member before has not opened it, until the next visit.
"""

STATEMENTS = (
    "ALTER TABLE memberships ADD COLUMN opened_as {blob}",
    "CREATE INDEX memberships_opened ON memberships (shop, opened_as) WHERE opened_as IS NOT NULL",
    """
    CREATE TABLE snippet_reports (
        person_hash {blob} NOT NULL,
        reported_at BIGINT NOT NULL,
        shop BIGINT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (person_hash, reported_at, shop)
    ) {clustered}
    """,
    "CREATE INDEX snippet_reports_by_time ON snippet_reports (reported_at)",
)
