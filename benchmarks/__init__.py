"""What the documentation claims about speed and size, measured; see docs/benchmarks.md. Nothing here is a test."""
