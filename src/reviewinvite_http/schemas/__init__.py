"""Request and response bodies: converted by cattrs, described for OpenAPI."""
