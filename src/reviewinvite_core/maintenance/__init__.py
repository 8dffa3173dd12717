"""What an operator does to an installation: back it up, restore, copy and check it."""
