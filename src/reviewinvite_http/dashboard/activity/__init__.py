"""A shop's activity log. Spec: §10.7."""
