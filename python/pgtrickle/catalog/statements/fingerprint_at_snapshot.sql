-- One row (fingerprint, tree) for the stream table $1, from the catalogs as this transaction's snapshot sees them.
-- A capture that is not as we left it (see sources.capture_stamp) gives a fingerprint that equals no other.
WITH RECURSIVE needed AS MATERIALIZED (
    SELECT s.id, s.capture_stamp, d.columns::name[] AS columns, coalesce(c.oid, 0::oid) AS root
    FROM pgtrickle.dependencies AS d
    JOIN pgtrickle.sources AS s ON s.id = d.source_id
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = s.table_schema
    LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = s.table_name
    WHERE d.stream_table_id = $1
), tree (source, oid, parent) AS (
    SELECT id, root, 0::oid FROM needed
    UNION
    SELECT t.source, i.inhrelid, i.inhparent
    FROM tree AS t JOIN pg_catalog.pg_inherits AS i ON i.inhparent = t.oid
), members AS (
    SELECT t.source, t.oid, t.parent,
           pg_catalog.concat_ws('.', t.source, t.oid, t.parent, nullif(c.relfilenode, 0::oid)) AS place,
           pg_catalog.concat_ws('.', c.oid, c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity) AS class,
           (
               SELECT pg_catalog.string_agg(
                   pg_catalog.concat_ws('.', a.attnum, a.attname, a.atttypid, a.atttypmod, a.attcollation,
                                        a.attnotnull, a.attgenerated, e.oid, e.xmin),
                   ',' ORDER BY a.attnum
               )
               FROM pg_catalog.pg_attribute AS a
               LEFT JOIN pg_catalog.pg_attrdef AS e
                   ON a.attgenerated <> '' AND e.adrelid = a.attrelid AND e.adnum = a.attnum
               WHERE a.attrelid = t.oid AND a.attname = ANY (needed.columns)
           ) AS columns,
           (
               SELECT pg_catalog.string_agg(
                   pg_catalog.concat_ws('.', x.indexrelid, x.indisvalid, x.indisready), ',' ORDER BY x.indexrelid
               )
               FROM pg_catalog.pg_index AS x
               WHERE x.indrelid = t.oid AND t.parent = 0 AND x.indisunique
                 AND (x.indkey::int2[])[0 : x.indnkeyatts - 1] <@ ARRAY(
                     SELECT a.attnum FROM pg_catalog.pg_attribute AS a
                     WHERE a.attrelid = t.oid AND a.attname = ANY (needed.columns)
                 )
           ) AS keys,
           pg_catalog.concat_ws(':', t.oid, t.parent,
               (
                   SELECT pg_catalog.string_agg(i.inhparent::text, ',' ORDER BY i.inhparent)
                   FROM pg_catalog.pg_inherits AS i WHERE i.inhrelid = t.oid
               ),
               (SELECT count(*) FROM pg_catalog.pg_subscription_rel AS r WHERE r.srrelid = t.oid),
               (
                   SELECT pg_catalog.string_agg(
                       pg_catalog.concat_ws('.', g.oid, g.xmin, g.tgenabled), ',' ORDER BY g.oid
                   )
                   FROM pg_catalog.pg_trigger AS g
                   WHERE g.tgrelid = t.oid
                     AND pg_catalog.starts_with(g.tgname::text, 'pgtrickle_' || t.source || '_')
               )
           ) AS stamp
    FROM tree AS t
    JOIN needed ON needed.id = t.source
    LEFT JOIN pg_catalog.pg_class AS c ON c.oid = t.oid
), parts AS (
    SELECT m.source,
           pg_catalog.string_agg(m.place, ',' ORDER BY m.oid, m.parent) AS tree,
           pg_catalog.string_agg(
               pg_catalog.concat_ws('|', m.place, m.class, m.columns, m.keys), ';' ORDER BY m.oid, m.parent
           ) AS shape,
           pg_catalog.md5(pg_catalog.string_agg(m.stamp, ';' ORDER BY m.oid, m.parent)) AS stamp
    FROM members AS m
    GROUP BY m.source
), views AS (
    SELECT pg_catalog.string_agg(pg_catalog.concat_ws('.', c.oid, r.oid, r.xmin), ',' ORDER BY w.position) AS rules
    FROM pgtrickle.stream_tables AS s
    CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(s.relations) WITH ORDINALITY AS w (name, position)
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = (w.name ->> 0)::name
    LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = (w.name ->> 1)::name
    LEFT JOIN pg_catalog.pg_rewrite AS r ON c.relkind = 'v' AND r.ev_class = c.oid AND r.rulename = '_RETURN'
    WHERE s.id = $1
)
SELECT pg_catalog.md5(pg_catalog.concat_ws('#',
           pg_catalog.string_agg(
               pg_catalog.concat_ws('!', p.source, p.shape,
                   CASE WHEN p.stamp = n.capture_stamp THEN 'intact'
                        ELSE p.stamp || pg_catalog.clock_timestamp()::text END),
               '#' ORDER BY p.source
           ),
           (SELECT rules FROM views)
       )) AS fingerprint,
       coalesce(pg_catalog.string_agg(p.tree, ';' ORDER BY p.source), '') AS tree
FROM parts AS p
JOIN needed AS n ON n.id = p.source
