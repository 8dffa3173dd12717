"""Suppress, export and erase addresses."""
