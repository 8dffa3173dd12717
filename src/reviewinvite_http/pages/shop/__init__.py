"""The public page of a shop. Spec: §4."""
