-- The source that captures a relation, if there is one.
SELECT id, table_oid::bigint, columns, pairing, capture_failure, capture_version, capture_stamp
FROM pgtrickle.sources
WHERE relation_schema = %s AND relation_name = %s
FOR UPDATE
