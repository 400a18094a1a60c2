"""What is stored, and what PostgreSQL knows: stream tables, sources, queries, fingerprints."""
