"""Add, list and change shops."""
