"""Deliver invitations that are due, exactly once (ADR-7)."""
