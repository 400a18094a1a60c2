"""Where a delta is computed and applied."""
