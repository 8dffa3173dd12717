"""Trust marks, the appearance of badges, and signing keys."""

STATEMENTS = (
    "ALTER TABLE shops ADD COLUMN trust_mark TEXT NOT NULL DEFAULT 'absent'",
    "ALTER TABLE shops ADD COLUMN badge_theme TEXT NOT NULL DEFAULT 'auto'",
    "ALTER TABLE shops ADD COLUMN badge_size TEXT NOT NULL DEFAULT 'medium'",
    "ALTER TABLE shops ADD COLUMN badge_language TEXT",
    """
    CREATE TABLE signing_keys (
        key_id TEXT PRIMARY KEY NOT NULL,
        public_key {blob} NOT NULL,
        sealed_seed {blob},
        state TEXT NOT NULL,
        announced_at BIGINT NOT NULL,
        signing_since BIGINT,
        ended_at BIGINT
    )
    """,
    "CREATE UNIQUE INDEX signing_keys_signing ON signing_keys (state) WHERE state = 'signing'",
)
