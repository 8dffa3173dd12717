"""What `doctor` checks: one check a file, each of which returns a `Finding`."""
