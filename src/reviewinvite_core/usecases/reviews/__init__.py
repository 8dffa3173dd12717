"""Write, list, moderate and reply to reviews, and compute scores."""
