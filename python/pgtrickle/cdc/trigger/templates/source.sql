-- The source that captures a relation, if there is one.
SELECT c.id, c.table_oid::bigint, c.columns, c.pairing, c.capture_failure, c.capture_version, c.capture_stamp,
       EXISTS (
           SELECT FROM pgtrickle.dependencies AS d JOIN pgtrickle.stream_tables AS s ON s.id = d.stream_table_id
           WHERE d.source_id = c.id AND s.options ->> 'capture_failure' = 'fail'
       )
FROM pgtrickle.sources AS c
WHERE c.relation_schema = %s AND c.relation_name = %s
FOR UPDATE OF c
