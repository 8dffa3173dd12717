"""Publish, rotate and revoke the keys that sign statements."""
