"""Messages: mail that is not an invitation (ADR-57). `priority` is stored so that an index finds what goes first."""

STATEMENTS = (
    """
    CREATE TABLE messages (
        message_id {blob} PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        priority BIGINT NOT NULL,
        language TEXT NOT NULL,
        address_hash {blob} NOT NULL,
        sealed {blob},
        queued_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        due_at BIGINT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT,
        changed_at BIGINT NOT NULL,
        reply TEXT,
        attempts BIGINT NOT NULL,
        claim_token {blob},
        lease_until BIGINT
    ) {clustered}
    """,
    "CREATE INDEX messages_due ON messages (priority, due_at, message_id) WHERE state = 'scheduled'",
    "CREATE INDEX messages_held ON messages (lease_until) WHERE state IN ('claimed', 'handing_over')",
    "CREATE INDEX messages_by_address ON messages (address_hash)",
    "CREATE INDEX messages_by_end ON messages (expires_at)",
)
