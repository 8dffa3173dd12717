"""Copy a database into another one, on the same or a different engine."""
