"""Which orders a shop takes from browsers, its sealed snippet secrets, and when its first valid signature came."""

STATEMENTS = (
    "ALTER TABLE shops ADD COLUMN snippet TEXT NOT NULL DEFAULT 'open'",
    "ALTER TABLE shops ADD COLUMN snippet_secret {blob}",
    "ALTER TABLE shops ADD COLUMN snippet_secret_before {blob}",
    "ALTER TABLE shops ADD COLUMN snippet_signed_at BIGINT",
)
