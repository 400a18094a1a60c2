"""Stage 5: plans to SQL."""
