"""The page of the API, with OpenAPI Explorer as its authors publish it (`vendor/`, with its licence)."""
