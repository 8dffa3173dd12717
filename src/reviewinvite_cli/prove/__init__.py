"""`prove`: take orders under load, break everything around them, and count what became of each."""
