-- What the named relations are, in the order of the names; the storage table of a stream table with it, and for one
-- that is gone but was captured, what it is called now.
SELECT w.schema_name, w.relation_name, c.oid::bigint, c.relkind::text, c.relpersistence::text,
       s.id IS NOT NULL, storage.oid::bigint, moved.oid::regclass::text
FROM unnest(%(schemas)s::text[], %(names)s::text[], %(storages)s::text[])
     WITH ORDINALITY AS w (schema_name, relation_name, storage_name, position)
LEFT JOIN pg_namespace AS n ON n.nspname = w.schema_name
LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = w.relation_name
LEFT JOIN pgtrickle.stream_tables AS s
    ON s.schema_name = w.schema_name AND s.table_name = w.relation_name AND c.relkind = 'v'
LEFT JOIN pg_class AS storage
    ON s.id IS NOT NULL AND storage.relname = w.storage_name
    AND storage.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'pgtrickle_state')
LEFT JOIN pgtrickle.sources AS captured
    ON c.oid IS NULL AND captured.relation_schema = w.schema_name AND captured.relation_name = w.relation_name
LEFT JOIN pg_class AS moved ON moved.oid = captured.table_oid
ORDER BY w.position
