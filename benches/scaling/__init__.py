"""Whether the cost of a refresh grows with the change or with the table: the same 100 changed rows in tables of three sizes."""
