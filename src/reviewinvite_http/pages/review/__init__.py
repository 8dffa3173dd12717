"""The page behind the link in an invitation. Spec: §6."""
