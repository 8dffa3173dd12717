"""The high-water mark, kept in a file (ADR-20, ADR-42)."""
