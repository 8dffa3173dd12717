"""Report orders: by API key, by a library's caller, or from a shop's page."""
