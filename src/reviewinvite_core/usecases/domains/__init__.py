"""Add, verify and remove a shop's hosts."""
