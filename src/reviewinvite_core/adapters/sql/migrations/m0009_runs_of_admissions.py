"""Admissions of one key within a minute share a row (ADR-53). Earlier rows hold one admission each, and stay valid."""

STATEMENTS = ("ALTER TABLE admissions ADD COLUMN later TEXT NOT NULL DEFAULT ''",)
