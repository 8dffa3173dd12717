"""A shop's settings. Spec: §10.5."""
