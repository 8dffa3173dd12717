"""The shops of a member. Spec: §10.1."""
