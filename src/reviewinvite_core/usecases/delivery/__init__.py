"""Deliver due invitations and notices, exactly once (ADR-7)."""
