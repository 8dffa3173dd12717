"""The OpenAPI description: the only package that knows Litestar's schemas."""
