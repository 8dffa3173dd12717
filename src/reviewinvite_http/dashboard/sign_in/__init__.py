"""Signing in by a link, and signing out. Spec: §10.2."""
