"""The JSON API: one file a capability. Spec: §4."""
