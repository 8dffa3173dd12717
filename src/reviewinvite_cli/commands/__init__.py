"""The commands, one noun per file. Nothing slow is imported before a command needs it."""
