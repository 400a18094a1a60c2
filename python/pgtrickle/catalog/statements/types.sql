-- The given types and all that they are made of. An operator class counts as PostgreSQL itself finds it: for
-- the type, or for one that the type coerces to without a function.
WITH RECURSIVE wanted (oid) AS (
    SELECT unnest(%s::oid[])
    UNION
    SELECT part.oid
    FROM wanted AS w
    JOIN pg_type AS t ON t.oid = w.oid
    CROSS JOIN LATERAL (
        SELECT t.typelem AS oid WHERE t.typsubscript = 'array_subscript_handler'::regproc
        UNION ALL
        SELECT t.typbasetype WHERE t.typtype = 'd'
        UNION ALL
        SELECT r.rngsubtype FROM pg_range AS r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
        UNION ALL
        SELECT a.atttypid FROM pg_attribute AS a
        WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    ) AS part
), classes AS (
    SELECT o.opcintype, m.amname = 'hash' AND EXISTS (
               SELECT FROM pg_amproc AS p
               WHERE p.amprocfamily = o.opcfamily AND p.amproclefttype = o.opcintype
                 AND p.amprocrighttype = o.opcintype AND p.amprocnum = 2
           ) AS hashes
    FROM pg_opclass AS o
    JOIN pg_am AS m ON m.oid = o.opcmethod
    WHERE o.opcdefault AND m.amname IN ('btree', 'hash')
)
SELECT t.oid::bigint, t.typname, t.typnamespace = 'pg_catalog'::regnamespace, t.typtype::text,
       CASE WHEN t.typsubscript = 'array_subscript_handler'::regproc THEN t.typelem::bigint END,
       CASE WHEN t.typtype = 'd' THEN t.typbasetype::bigint END, t.typtypmod,
       ARRAY(
           SELECT r.rngsubtype::bigint FROM pg_range AS r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
           UNION ALL
           SELECT a.atttypid::bigint FROM pg_attribute AS a
           WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
       ),
       coalesce(found.compares, false), coalesce(found.hashes, false), t.typlen
FROM wanted AS w
JOIN pg_type AS t ON t.oid = w.oid
LEFT JOIN LATERAL (
    SELECT true AS compares, bool_or(c.hashes) AS hashes
    FROM classes AS c
    WHERE c.opcintype = t.oid OR c.opcintype IN (
        SELECT k.casttarget FROM pg_cast AS k
        WHERE k.castsource = t.oid AND k.castmethod = 'b' AND k.castcontext = 'i'
    )
    HAVING count(*) > 0
) AS found ON true
