"""The section of a shop's invitations: a list with filters, and a page for each with its history and its buttons."""
