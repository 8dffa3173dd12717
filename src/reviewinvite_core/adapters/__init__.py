"""The ports' other side: where technology has names."""
