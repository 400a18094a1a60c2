"""The law: after a refresh a stream table equals its query. Generated cases, kept cases, one checker."""
