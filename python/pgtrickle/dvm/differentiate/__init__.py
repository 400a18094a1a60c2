"""Stage 4: where the changes come from."""
