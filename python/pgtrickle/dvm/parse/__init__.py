"""Stage 1: text to tree, and what is refused at once."""
