"""Storage in a SQLite file."""
