"""What is true whatever the storage, the mail server or the transport: pure, deterministic, without I/O."""
