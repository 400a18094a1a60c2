"""The command line: a person's door to the client."""
