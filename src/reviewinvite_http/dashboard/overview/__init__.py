"""The first page of a shop: what remains to be done, its year in figures, and what is wrong. Spec: §10.5."""
