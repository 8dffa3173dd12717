"""Write, list, moderate and answer reviews, and keep their scores."""
