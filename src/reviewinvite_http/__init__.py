"""The HTTP API and the pages: convert bytes to domain values and back."""
