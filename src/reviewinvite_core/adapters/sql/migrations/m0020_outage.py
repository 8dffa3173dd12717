"""What the mail server's answers say about itself, and when it last refused a message (ADR-69).

`relay` has at most one row, and none until something is to be noted, so that a new database stays empty.
"""

STATEMENTS = (
    """
    CREATE TABLE relay (
        id BIGINT PRIMARY KEY,
        epoch BIGINT NOT NULL,
        accepted_at BIGINT,
        refused_at BIGINT,
        refused_since BIGINT,
        tries BIGINT NOT NULL,
        outage_since BIGINT,
        probe_at BIGINT
    ) {clustered}
    """,
    """
    CREATE TABLE refused_mail (
        shop BIGINT NOT NULL,
        domain_hash {blob} NOT NULL,
        refused_at BIGINT NOT NULL,
        PRIMARY KEY (shop, domain_hash)
    ) {clustered}
    """,
    "ALTER TABLE invitations ADD COLUMN refused_at BIGINT",
    "ALTER TABLE invitations ADD COLUMN epoch BIGINT",
    "ALTER TABLE messages ADD COLUMN refused_at BIGINT",
)
