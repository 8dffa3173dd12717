"""The section of a shop's reviews: a list with filters, and a page for each with its history and the reply."""
