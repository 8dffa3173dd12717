"""How often a shop invites one address, and suppressions that expire (ADR-47)."""

STATEMENTS = (
    "ALTER TABLE shops ADD COLUMN frequency_days BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE suppressions_everywhere ADD COLUMN expires_at BIGINT",
    "CREATE INDEX suppressions_expiring ON suppressions_everywhere (expires_at) WHERE expires_at IS NOT NULL",
)
