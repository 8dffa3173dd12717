"""Report orders from a shop's server or from one of its pages."""
