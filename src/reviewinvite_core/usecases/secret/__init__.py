"""Rotation of the secret."""
