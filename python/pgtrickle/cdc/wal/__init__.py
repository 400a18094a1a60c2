"""Capture from the write-ahead log, by logical replication."""
