"""The catalog's SQL, one statement per file."""
