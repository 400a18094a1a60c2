-- Stream tables whose query reads the view of the given one, through views too.
SELECT d.schema_name, d.table_name
FROM pgtrickle.stream_tables AS s
JOIN pgtrickle.stream_tables AS d
    ON d.relations @> jsonb_build_array(jsonb_build_array(s.schema_name, s.table_name))
WHERE s.id = %s AND d.id <> s.id
ORDER BY d.id
