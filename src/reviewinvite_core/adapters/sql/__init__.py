"""Storage in a SQL database: repositories shared by all engines, with each engine's differences in its own package."""
