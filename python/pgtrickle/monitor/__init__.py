"""What a person asks about stream tables."""
