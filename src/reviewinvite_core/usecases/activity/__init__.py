"""Record what was changed at a shop, and notify its owners. Below the capabilities whose use cases change something."""
