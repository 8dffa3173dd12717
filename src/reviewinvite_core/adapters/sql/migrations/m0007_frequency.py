"""How often a shop invites one address (ADR-47)."""

STATEMENTS = ("ALTER TABLE shops ADD COLUMN frequency_days BIGINT NOT NULL DEFAULT 0",)
