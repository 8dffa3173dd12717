"""The page behind an unsubscribe link. Spec: §6."""
