"""Who has opened a shop's dashboard as a member, whose orders open snippets reported of late, and figures (ADR-67).

Whoever was a member before has not opened it, until the next visit. Nobody was kept back as a member before.
"""

_APART = """
INSERT INTO invitation_figures (shop, week, state, counted)
SELECT shop, (changed_at / 86400000000 + 719162) / 7 * 7 + 1, {apart}, COUNT(*)
FROM invitations WHERE state NOT IN ('scheduled', 'claimed', 'handing_over', 'uncertain') AND {condition}
GROUP BY 1, 2, 3
"""
_IS_CONFIRMED = "(source <> 1 OR confirmation = 1)"

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
    _APART.format(apart="'website'", condition=f"NOT {_IS_CONFIRMED}"),
    _APART.format(
        apart=f"CASE WHEN {_IS_CONFIRMED} THEN 'confirmed_cancelled' ELSE 'website_cancelled' END",
        condition="reason = 'cancelled'",
    ),
)
