-- The inheritance tree of each table, the table first; a table reached in two ways comes once.
WITH RECURSIVE tree (root, oid, depth) AS (
    SELECT root, root, 0 FROM unnest(%s::oid[]) AS root
    UNION ALL
    SELECT t.root, i.inhrelid, t.depth + 1
    FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid
)
SELECT t.root::bigint, t.oid::bigint, n.nspname, c.relname
FROM tree AS t
JOIN pg_class AS c ON c.oid = t.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
GROUP BY t.root, t.oid, n.nspname, c.relname
ORDER BY t.root, min(t.depth), t.oid
