"""Storage in a SQL database: the repositories are written once, what differs between engines is in its own file."""
