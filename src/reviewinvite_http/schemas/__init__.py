"""What bodies and answers look like: converted by cattrs, described for OpenAPI."""
