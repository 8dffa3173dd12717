"""Grant, revoke and verify trust marks."""
