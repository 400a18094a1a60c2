"""Tests on PostgreSQL servers."""
