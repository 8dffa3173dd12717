"""What the service does: one verb a file, each readable from top to bottom."""
