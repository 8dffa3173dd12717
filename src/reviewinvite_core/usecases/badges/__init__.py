"""Show badges, and count their views."""
