-- The statements that give relation %(target)s, made anew, what the relation of the same kind %(relation)s has now:
-- owner, options, privileges of relation and columns, comments. Each with the column that it concerns, if one.
WITH relation AS (
    SELECT c.oid, c.relkind, c.relowner, c.reloptions,
           coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner)) AS acl
    FROM pg_catalog.pg_class AS c
    WHERE c.oid = pg_catalog.to_regclass(%(relation)s)
), columns AS (
    SELECT a.attnum, a.attname, a.attacl
    FROM relation AS r JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped
)
SELECT NULL AS column_name, 1 AS step,
       format('ALTER TABLE %%s OWNER TO %%s', %(target)s::text, r.relowner::regrole) AS command
FROM relation AS r WHERE r.relowner <> (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user)
UNION ALL
SELECT NULL, 2, format('ALTER TABLE %%s SET (%%s)', %(target)s::text, array_to_string(r.reloptions, ', '))
FROM relation AS r WHERE r.reloptions IS NOT NULL
UNION ALL
SELECT NULL, 4, format(
           'GRANT %%s ON %%s TO %%s%%s', g.privilege_type, %(target)s::text,
           CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
           CASE WHEN g.is_grantable AND g.grantee <> r.relowner THEN ' WITH GRANT OPTION' ELSE '' END
       )
FROM relation AS r CROSS JOIN LATERAL pg_catalog.aclexplode(r.acl) AS g
UNION ALL
SELECT a.attname, 5, format(
           'GRANT %%s (%%I) ON %%s TO %%s%%s', g.privilege_type, a.attname, %(target)s::text,
           CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
           CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
       )
FROM columns AS a CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) AS g
UNION ALL
SELECT NULL, 6, format(
           'COMMENT ON %%s %%s IS %%L', CASE r.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, %(target)s::text,
           pg_catalog.obj_description(r.oid, 'pg_class')
       )
FROM relation AS r WHERE pg_catalog.obj_description(r.oid, 'pg_class') IS NOT NULL
UNION ALL
SELECT a.attname, 7, format(
           'COMMENT ON COLUMN %%s.%%I IS %%L', %(target)s::text, a.attname,
           pg_catalog.col_description(r.oid, a.attnum)
       )
FROM relation AS r CROSS JOIN columns AS a WHERE pg_catalog.col_description(r.oid, a.attnum) IS NOT NULL
ORDER BY step
