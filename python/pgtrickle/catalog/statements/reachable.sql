-- Every relation that a view reads, through views too, and for views their text. Taken from the stored rule
-- trees: pg_depend does not record what belongs to the system. A stream table is not looked through.
WITH RECURSIVE reached (oid, depth) AS (
    SELECT %(view)s::oid, 0
    UNION
    SELECT found.oid, v.depth + 1
    FROM reached AS v
    JOIN pg_class AS c ON c.oid = v.oid AND c.relkind = 'v'
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_rewrite AS r ON r.ev_class = v.oid AND r.ev_type = '1'
    CROSS JOIN LATERAL (
        SELECT DISTINCT match[1]::oid AS oid
        FROM regexp_matches(r.ev_action::text, ' :relid (\d+)', 'g') AS match
    ) AS found
    WHERE found.oid NOT IN (0::oid, v.oid)
      AND (v.depth = 0 OR NOT EXISTS (
          SELECT FROM pgtrickle.stream_tables AS s
          WHERE s.schema_name = n.nspname AND s.table_name = c.relname
      ))
)
SELECT c.oid::bigint, n.nspname, c.relname, min(v.depth) = 1,
       has_any_column_privilege(c.oid, 'SELECT'),
       CASE WHEN c.relkind = 'v' AND NOT EXISTS (
           SELECT FROM pgtrickle.stream_tables AS s
           WHERE s.schema_name = n.nspname AND s.table_name = c.relname
       ) THEN pg_get_viewdef(c.oid) END
FROM reached AS v
JOIN pg_class AS c ON c.oid = v.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE v.depth > 0 AND c.oid <> %(view)s::oid
GROUP BY c.oid, n.nspname, c.relname, c.relkind
ORDER BY min(v.depth), c.oid
