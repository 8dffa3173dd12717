"""Copy a database from one engine to the other."""
