"""Stage 3: tree to operators and storage."""
