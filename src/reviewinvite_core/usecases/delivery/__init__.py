"""Deliver due invitations, exactly once (ADR-7)."""
