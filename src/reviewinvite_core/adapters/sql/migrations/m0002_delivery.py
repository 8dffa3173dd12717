"""Suppressions, hosts, shops' reply addresses, and indexes of invitations: by address, due for erasure, uncertain."""

STATEMENTS = (
    "ALTER TABLE shops ADD COLUMN reply_to TEXT",
    """
    CREATE TABLE suppressions (
        shop BIGINT NOT NULL,
        address_hash {blob} NOT NULL,
        origin TEXT NOT NULL,
        suppressed_at BIGINT NOT NULL,
        PRIMARY KEY (shop, address_hash)
    ) {clustered}
    """,
    """
    CREATE TABLE suppressions_everywhere (
        address_hash {blob} PRIMARY KEY NOT NULL,
        origin TEXT NOT NULL,
        suppressed_at BIGINT NOT NULL
    ) {clustered}
    """,
    """
    CREATE TABLE hosts (
        host TEXT PRIMARY KEY NOT NULL,
        fence BIGINT NOT NULL,
        ahead BIGINT,
        horizon BIGINT
    )
    """,
    "CREATE INDEX invitations_by_address ON invitations (shop, address_hash)",
    "CREATE INDEX invitations_to_erase ON invitations (scheduled_for) WHERE sealed_address IS NOT NULL",
    "CREATE INDEX invitations_uncertain ON invitations (changed_at) WHERE state = 'uncertain'",
)
