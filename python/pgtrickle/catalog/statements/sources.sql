-- Captured relations, each as one JSON object.
SELECT jsonb_build_object(
           'id', c.id,
           'relation', jsonb_build_array(c.relation_schema, c.relation_name),
           'table', jsonb_build_array(c.table_schema, c.table_name),
           'table_oid', c.table_oid::bigint, 'kind', c.kind, 'columns', c.columns,
           'capture_failure', c.capture_failure, 'capture_version', c.capture_version,
           'floor', c.floor::text
       )
FROM pgtrickle.sources AS c
WHERE %(id)s::bigint IS NULL OR c.id = %(id)s::bigint
ORDER BY c.id
