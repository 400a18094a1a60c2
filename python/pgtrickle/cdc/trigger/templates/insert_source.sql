INSERT INTO pgtrickle.sources (
    relation_schema, relation_name, table_schema, table_name, table_oid, kind, capture_failure
) VALUES (%s, %s, %s, %s, %s, %s, %s)
RETURNING id
