"""The pages for customers: plain HTML that works without scripts and loads nothing from other addresses."""
