"""A member's own sessions. Spec: §10.3."""
