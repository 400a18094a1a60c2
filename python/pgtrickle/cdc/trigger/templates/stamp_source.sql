-- The capture as it is now.
UPDATE pgtrickle.sources
SET table_schema = %(table_schema)s, table_name = %(table_name)s, table_oid = %(table_oid)s,
    kind = %(kind)s, columns = %(columns)s, pairing = %(pairing)s,
    capture_failure = %(capture_failure)s, capture_version = %(version)s, capture_stamp = %(stamp)s
WHERE id = %(id)s
