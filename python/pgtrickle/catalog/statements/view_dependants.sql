-- What depends on a relation: the views on it, views on those too, each after what it reads, and everything else
-- by its description. A view's own triggers, rules and defaults would go with it, so they count as dependants.
WITH RECURSIVE reached (oid, depth) AS (
    SELECT pg_catalog.to_regclass(%(relation)s)::oid, 0
    UNION
    SELECT w.ev_class, v.depth + 1
    FROM reached AS v
    JOIN pg_catalog.pg_class AS k ON k.oid = v.oid
    JOIN pg_catalog.pg_type AS t ON t.oid = k.reltype
    JOIN pg_catalog.pg_depend AS d
        ON (d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = v.oid)
        OR (d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray))
    JOIN pg_catalog.pg_rewrite AS w
        ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid AND w.rulename = '_RETURN'
    JOIN pg_catalog.pg_class AS c ON c.oid = w.ev_class AND c.relkind = 'v'
    WHERE w.ev_class <> v.oid
), views AS (
    SELECT oid, max(depth) AS depth FROM reached GROUP BY oid
), others AS (
    SELECT DISTINCT CASE WHEN w.rulename = '_RETURN'
                         THEN pg_catalog.pg_describe_object('pg_catalog.pg_class'::regclass, w.ev_class, 0)
                         ELSE pg_catalog.pg_describe_object(d.classid, d.objid, 0) END AS described
    FROM views AS v
    JOIN pg_catalog.pg_class AS k ON k.oid = v.oid
    JOIN pg_catalog.pg_type AS t ON t.oid = k.reltype
    JOIN pg_catalog.pg_depend AS d
        ON (d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = v.oid)
        OR (d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray))
    LEFT JOIN pg_catalog.pg_rewrite AS w ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND w.oid = d.objid
    WHERE (d.deptype = 'n' OR (d.deptype = 'a' AND k.relkind = 'v'))
      AND NOT (w.rulename IS NOT DISTINCT FROM '_RETURN' AND w.ev_class IN (SELECT oid FROM views))
      AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_constraint AS own
          WHERE d.classid = 'pg_catalog.pg_constraint'::regclass AND own.oid = d.objid AND own.conrelid = v.oid
      )
      AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_index AS own
          WHERE d.classid = 'pg_catalog.pg_class'::regclass AND own.indexrelid = d.objid AND own.indrelid = v.oid
      )
)
SELECT v.depth, n.nspname::text, c.relname::text, pg_catalog.pg_get_viewdef(c.oid), ARRAY(
           SELECT DISTINCT a.attname::text
           FROM pg_catalog.pg_rewrite AS w
           JOIN pg_catalog.pg_depend AS d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = w.oid
           JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
           WHERE w.ev_class = c.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjsubid > 0
             AND d.refobjid = pg_catalog.to_regclass(%(view)s)
       )
FROM views AS v
JOIN pg_catalog.pg_class AS c ON c.oid = v.oid AND c.relkind = 'v'
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
UNION ALL
SELECT NULL, '', described, NULL, NULL FROM others
ORDER BY 1, 2, 3
