"""What `init` does: it asks, makes an installation, and writes its settings file."""
