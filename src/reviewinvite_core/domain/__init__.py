"""Values and rules that hold for any storage, mail server or transport: pure, deterministic, without I/O."""
