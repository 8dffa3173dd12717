"""Manage the members of shops, and keep each shop's activity log."""
