"""The pages that customers see: plain HTML without script, that loads nothing from anywhere."""
