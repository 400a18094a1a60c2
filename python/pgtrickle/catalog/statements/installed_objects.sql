-- What lives in our schemas, as (kind, names), in the order in which it can be dropped.
WITH ours AS (
    SELECT oid, nspname FROM pg_catalog.pg_namespace WHERE nspname = ANY (%s::text[])
), objects AS (
    SELECT 1 AS step, 'capture' AS kind, p.oid::regprocedure::text AS name
    FROM pg_catalog.pg_proc AS p JOIN ours ON ours.oid = p.pronamespace
    WHERE ours.nspname = 'pgtrickle_changes'
    UNION ALL
    SELECT 2, 'view', c.oid::regclass::text
    FROM pg_catalog.pg_class AS c JOIN ours ON ours.oid = c.relnamespace
    WHERE c.relkind = 'v'
    UNION ALL
    SELECT 3, 'table', c.oid::regclass::text
    FROM pg_catalog.pg_class AS c JOIN ours ON ours.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
    UNION ALL
    SELECT 4, 'routine', p.oid::regprocedure::text
    FROM pg_catalog.pg_proc AS p JOIN ours ON ours.oid = p.pronamespace
    WHERE ours.nspname <> 'pgtrickle_changes'
    UNION ALL
    SELECT 5, 'schema', format('%%I', ours.nspname) FROM ours
)
SELECT kind, array_agg(name ORDER BY name) FROM objects GROUP BY step, kind ORDER BY step
