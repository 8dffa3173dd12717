"""The version of the distribution, stated once."""

__version__ = "0.1.0"
