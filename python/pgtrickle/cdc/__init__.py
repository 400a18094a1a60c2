"""Capture: how changes of sources get into change buffers, and out of them again."""
