"""The commands, one noun a file. Nothing slow is imported before a command needs it."""
