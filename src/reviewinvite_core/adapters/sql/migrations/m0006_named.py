"""Invitations that a host has sent without the database knowing it, as far as the host's mark names them (ADR-42)."""

STATEMENTS = ("ALTER TABLE hosts ADD COLUMN named {blob}",)
