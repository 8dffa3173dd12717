"""Delivery of due invitations, exactly once (ADR-7)."""
