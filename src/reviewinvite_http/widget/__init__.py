"""The scripts that run in shops' pages."""
