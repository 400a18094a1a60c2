"""Read-only facts about operators and expressions."""
