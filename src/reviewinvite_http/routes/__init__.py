"""The routes, a capability a file."""
