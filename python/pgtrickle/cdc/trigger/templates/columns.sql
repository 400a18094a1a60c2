-- The columns of a table that can be captured; a virtual one is NULL in a transition table.
SELECT a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN a.attcollation <> t.typcollation THEN format('%%I.%%I', n.nspname, c.collname) END
FROM pg_attribute AS a
JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
LEFT JOIN pg_namespace AS n ON n.oid = c.collnamespace
WHERE a.attrelid = %s::oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated <> 'v'
ORDER BY a.attnum
