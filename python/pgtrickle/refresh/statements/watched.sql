-- The OIDs of every table and view that a stream table reads, children and partitions too.
WITH RECURSIVE named AS (
    SELECT c.oid
    FROM unnest($1::text[], $2::text[]) AS w (schema_name, relation_name)
    JOIN pg_namespace AS n ON n.nspname = w.schema_name
    JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = w.relation_name
), tree AS (
    SELECT oid FROM named
    UNION
    SELECT i.inhrelid FROM tree JOIN pg_inherits AS i ON i.inhparent = tree.oid
)
SELECT array_agg(oid::bigint ORDER BY oid) FROM tree
