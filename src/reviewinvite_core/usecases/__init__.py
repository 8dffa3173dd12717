"""The service's use cases: one per file, each readable from top to bottom."""
