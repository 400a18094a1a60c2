-- The given types as the reader of a COPY BINARY stream knows them. An enum is sent as its text; a domain inside an array
-- as the type below it, whose modifier the domain may declare. (PostgreSQL itself names no domain as the type of a result.)
WITH RECURSIVE element (array_oid, oid, typmod) AS (
    SELECT t.oid, t.typelem, -1
    FROM pg_catalog.pg_type AS t
    WHERE t.oid = ANY (%(types)s::oid[])
      AND t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc
    UNION ALL
    SELECT e.array_oid, d.typbasetype, d.typtypmod
    FROM element AS e
    JOIN pg_catalog.pg_type AS d ON d.oid = e.oid
    WHERE d.typtype = 'd'
)
SELECT t.oid::bigint,
       CASE
           WHEN t.typtype = 'e' THEN 'pg_catalog.text'::regtype
           WHEN b.typtype = 'e' THEN 'pg_catalog.text[]'::regtype
           WHEN b.typarray <> 0 THEN b.typarray
           ELSE t.oid
       END::bigint,
       coalesce(e.typmod, -1)
FROM pg_catalog.pg_type AS t
LEFT JOIN (
    element AS e
    JOIN pg_catalog.pg_type AS b ON b.oid = e.oid AND b.typtype <> 'd'
) ON e.array_oid = t.oid
WHERE t.oid = ANY (%(types)s::oid[])
