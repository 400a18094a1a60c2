"""The only package that opens a connection: transactions, errors, advisory locks."""
