-- One row (tree) for the stream table $1, through functions that ignore the snapshot, in the form that
-- fingerprint_at_snapshot gives its tree. Only partitioned tables are expanded live: others are read with ONLY.
WITH RECURSIVE needed AS MATERIALIZED (
    SELECT s.id, coalesce(c.oid, 0::oid) AS root, c.relkind = 'p' AS partitioned
    FROM pgtrickle.dependencies AS d
    JOIN pgtrickle.sources AS s ON s.id = d.source_id
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.nspname = s.table_schema
    LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = s.table_name
    WHERE d.stream_table_id = $1
), inherited (source, oid, parent) AS (
    SELECT id, root, 0::oid FROM needed WHERE partitioned IS NOT TRUE
    UNION
    SELECT t.source, i.inhrelid, i.inhparent
    FROM inherited AS t JOIN pg_catalog.pg_inherits AS i ON i.inhparent = t.oid
), tree (source, oid, parent) AS (
    SELECT source, oid, parent FROM inherited
    UNION ALL
    SELECT n.id, p.relid::oid, CASE WHEN p.level = 0 THEN 0::oid ELSE p.parentrelid::oid END
    FROM needed AS n CROSS JOIN LATERAL pg_catalog.pg_partition_tree(n.root) AS p
    WHERE n.partitioned
), parts AS (
    SELECT t.source,
           pg_catalog.string_agg(
               pg_catalog.concat_ws('.', t.source, t.oid, t.parent, pg_catalog.pg_relation_filenode(t.oid)),
               ',' ORDER BY t.oid, t.parent
           ) AS tree
    FROM tree AS t
    GROUP BY t.source
)
SELECT coalesce(pg_catalog.string_agg(tree, ';' ORDER BY source), '') AS tree FROM parts
