"""The demonstration: a small shop, stream tables above it, and changes while one looks."""
