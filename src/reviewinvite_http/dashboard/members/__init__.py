"""The members of a shop. Spec: §10.1."""
