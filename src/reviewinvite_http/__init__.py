"""The HTTP API: bytes to the domain and back."""
