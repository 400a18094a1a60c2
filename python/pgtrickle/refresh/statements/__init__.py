"""SQL of the refresh transaction."""
