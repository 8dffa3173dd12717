"""What is PostgreSQL's own."""
