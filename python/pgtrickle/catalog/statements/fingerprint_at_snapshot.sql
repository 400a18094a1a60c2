-- One row (fingerprint, tree) for the stream table $1, from the catalogs as this transaction's snapshot sees them.
-- A capture that is not as we left it (see sources.capture_stamp) gives a fingerprint that equals no other.
WITH RECURSIVE tree (source, oid, parent, columns, capture_stamp) AS (
    SELECT s.id, coalesce((
               SELECT c.oid FROM pg_catalog.pg_class AS c
               WHERE c.relname = s.table_name::name AND c.relnamespace = (
                   SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname = s.table_schema::name
               )
           ), 0::oid), 0::oid, d.columns::name[], s.capture_stamp
    FROM pgtrickle.dependencies AS d
    JOIN pgtrickle.sources AS s ON s.id = d.source_id
    WHERE d.stream_table_id = $1
    UNION
    SELECT t.source, i.inhrelid, i.inhparent, t.columns, t.capture_stamp
    FROM tree AS t JOIN pg_catalog.pg_inherits AS i ON i.inhparent = t.oid
), members AS (
    SELECT t.source, t.oid, t.parent, t.capture_stamp,
           pg_catalog.concat_ws('.', t.source, t.oid, t.parent, (
               SELECT nullif(c.relfilenode, 0::oid) FROM pg_catalog.pg_class AS c WHERE c.oid = t.oid
           )) AS place,
           pg_catalog.concat_ws('|',
               (
                   SELECT pg_catalog.concat_ws('.', c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity)
                   FROM pg_catalog.pg_class AS c WHERE c.oid = t.oid
               ),
               a.facts,
               (
                   SELECT pg_catalog.string_agg(
                       pg_catalog.concat_ws('.', x.indexrelid, x.indisvalid, x.indisready), ',' ORDER BY x.indexrelid
                   )
                   FROM pg_catalog.pg_index AS x
                   WHERE x.indrelid = t.oid AND t.parent = 0 AND x.indisunique
                     AND (x.indkey::int2[])[0 : x.indnkeyatts - 1] <@ a.numbers
               )
           ) AS shape,
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
    CROSS JOIN LATERAL (
        SELECT pg_catalog.array_agg(a.attnum) AS numbers,
               pg_catalog.string_agg(
                   pg_catalog.concat_ws('.', a.attnum, a.attname, a.atttypid, a.atttypmod, a.attcollation,
                                        a.attnotnull, a.attgenerated, CASE WHEN a.attgenerated <> '' THEN (
                       SELECT pg_catalog.concat_ws('.', e.oid, e.xmin) FROM pg_catalog.pg_attrdef AS e
                       WHERE e.adrelid = a.attrelid AND e.adnum = a.attnum
                   ) END),
                   ',' ORDER BY a.attnum
               ) AS facts
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = t.oid AND a.attname = ANY (t.columns)
    ) AS a
), parts AS (
    SELECT m.source,
           pg_catalog.string_agg(m.place, ',' ORDER BY m.oid, m.parent) AS tree,
           pg_catalog.string_agg(m.shape, ';' ORDER BY m.oid, m.parent) AS shape,
           CASE WHEN pg_catalog.md5(pg_catalog.string_agg(m.stamp, ';' ORDER BY m.oid, m.parent))
                     = pg_catalog.min(m.capture_stamp)
                THEN 'intact' ELSE pg_catalog.clock_timestamp()::text END AS capture
    FROM members AS m
    GROUP BY m.source
), relations AS MATERIALIZED (
    SELECT w.position, (
               SELECT c.oid FROM pg_catalog.pg_class AS c
               WHERE c.relname = (w.name ->> 1)::name AND c.relnamespace = (
                   SELECT n.oid FROM pg_catalog.pg_namespace AS n WHERE n.nspname = (w.name ->> 0)::name
               )
           ) AS oid
    FROM pgtrickle.stream_tables AS s
    CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(s.relations) WITH ORDINALITY AS w (name, position)
    WHERE s.id = $1
), rules AS (
    SELECT pg_catalog.string_agg(
               pg_catalog.concat_ws('.', r.oid, (
                   SELECT pg_catalog.concat_ws('.', w.oid, w.xmin) FROM pg_catalog.pg_rewrite AS w
                   WHERE w.ev_class = r.oid AND w.rulename = '_RETURN'
               )),
               ',' ORDER BY r.position
           ) AS rules
    FROM relations AS r
)
SELECT pg_catalog.md5(pg_catalog.concat_ws('#',
           pg_catalog.string_agg(pg_catalog.concat_ws('!', p.tree, p.shape, p.capture), '#' ORDER BY p.source),
           (SELECT rules FROM rules)
       )) AS fingerprint,
       coalesce(pg_catalog.string_agg(p.tree, ';' ORDER BY p.source), '') AS tree
FROM parts AS p
