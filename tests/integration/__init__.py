"""Tests of the product against a running server."""
