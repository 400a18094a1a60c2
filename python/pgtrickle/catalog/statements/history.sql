-- The latest refreshes, newest first; of one stream table or of all.
SELECT h.id, format('%%I.%%I', s.schema_name, s.table_name), h.action, h.scope, h.reason, h.started_at,
       coalesce(h.finished_at, h.started_at), h.inserted, h.updated, h.deleted, coalesce(h.snapshot::text, ''), h.error
FROM pgtrickle.refresh_history AS h
JOIN pgtrickle.stream_tables AS s ON s.id = h.stream_table_id
WHERE %(id)s::bigint IS NULL OR h.stream_table_id = %(id)s::bigint
ORDER BY h.id DESC
LIMIT %(limit)s
