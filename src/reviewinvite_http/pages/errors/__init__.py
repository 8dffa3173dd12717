"""The page that explains the codes of errors."""
