-- The tables that carry a source's triggers: the table itself, then its descendants.
WITH RECURSIVE tree (oid, depth) AS (
    SELECT c.oid, 0
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s
    UNION ALL
    SELECT i.inhrelid, t.depth + 1 FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid
)
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text, c.relpersistence::text,
       pg_has_role(c.relowner, 'USAGE'),
       EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = c.oid),
       EXISTS (SELECT FROM pg_subscription_rel AS r WHERE r.srrelid = c.oid)
FROM (SELECT oid, min(depth) AS depth FROM tree GROUP BY oid) AS t
JOIN pg_class AS c ON c.oid = t.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
ORDER BY t.depth, c.oid
