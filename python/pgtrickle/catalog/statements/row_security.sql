-- Of the named tables, those whose rows a policy may hide from this role.
SELECT n.nspname, c.relname
FROM unnest(%s::text[], %s::text[]) AS w (schema_name, relation_name)
JOIN pg_catalog.pg_namespace AS n ON n.nspname = w.schema_name
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = w.relation_name
WHERE pg_catalog.row_security_active(c.oid)
ORDER BY c.oid
