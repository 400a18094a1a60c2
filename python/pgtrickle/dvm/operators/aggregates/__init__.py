"""Aggregate functions: one family per file."""
