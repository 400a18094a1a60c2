"""Dependencies between stream tables. Pure."""
