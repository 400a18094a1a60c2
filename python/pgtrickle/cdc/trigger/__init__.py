"""Capture by triggers, the default."""
