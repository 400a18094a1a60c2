"""The operators: one file each, its law in the header."""
