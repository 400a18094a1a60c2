-- The views of all stream tables: one row (kind, names), or none.
SELECT 'view', array_agg(format('%I.%I', n.nspname, c.relname))
FROM pgtrickle.stream_tables AS s
JOIN pg_catalog.pg_namespace AS n ON n.nspname = s.schema_name
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = s.table_name AND c.relkind = 'v'
HAVING count(*) > 0
