"""The JSON API, one file for each capability. Spec: §4."""
