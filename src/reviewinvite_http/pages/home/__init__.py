"""The service's own address, for people and robots. Spec: §4 (Pages)."""
