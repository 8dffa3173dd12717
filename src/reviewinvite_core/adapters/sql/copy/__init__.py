"""Copy a database from one engine to another."""
