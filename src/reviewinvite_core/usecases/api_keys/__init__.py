"""Make and revoke API keys, authenticate callers, and keep their limits."""
