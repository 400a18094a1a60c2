-- The columns of relations. A NOT NULL constraint that is not validated yet promises nothing.
SELECT a.attrelid::bigint, a.attname, a.atttypid::bigint, a.atttypmod, format_type(a.atttypid, a.atttypmod),
       coalesce(c.collisdeterministic, true),
       a.attnotnull AND NOT EXISTS (
           SELECT FROM pg_constraint AS k
           WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated
             AND k.conkey = ARRAY[a.attnum]
       ),
       CASE WHEN a.attgenerated = 'v' THEN pg_get_expr(d.adbin, d.adrelid) END
FROM pg_attribute AS a
LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY (%s::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
