-- The statements that take from a relation, just made, every privilege that it was given by default.
SELECT DISTINCT format(
           'REVOKE ALL ON %%s FROM %%s', %(target)s::text,
           CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END
       )
FROM pg_catalog.pg_class AS c
CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner))) AS g
WHERE c.oid = pg_catalog.to_regclass(%(target)s)
