"""The page behind the link to opt out. Spec: §6."""
