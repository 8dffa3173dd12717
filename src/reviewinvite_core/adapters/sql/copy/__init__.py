"""Copying of a database from one engine to another."""
