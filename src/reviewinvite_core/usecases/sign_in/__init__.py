"""Sign members in by single-use links, and keep their sessions."""
