"""Rotate the secret."""
