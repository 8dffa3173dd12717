"""The shop's commands."""
