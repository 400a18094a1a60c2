-- Stream tables with frontier and dependencies; all but replacements in the making, or the one of a given name.
SELECT s.id, s.schema_name, s.table_name, s.query, s.query_hash, s.refresh_mode,
       s.effective_refresh_mode, s.reasons, s.status, s.schedule, s.settings, s.fingerprint,
       s.generation, s.relations, s.error, f.snapshot::text, f.applied_xid::text, f.refreshed_at,
       coalesce(d.dependencies, '[]'::jsonb), s.options
FROM pgtrickle.stream_tables AS s
LEFT JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id
LEFT JOIN LATERAL (
    SELECT jsonb_agg(
        jsonb_build_object(
            'needed', to_jsonb(d.columns), 'id', c.id,
            'relation', jsonb_build_array(c.relation_schema, c.relation_name),
            'table', jsonb_build_array(c.table_schema, c.table_name),
            'table_oid', c.table_oid::bigint, 'kind', c.kind, 'columns', c.columns,
            'capture_failure', c.capture_failure, 'capture_version', c.capture_version,
            'floor', c.floor::text
        ) ORDER BY d.source_id
    ) AS dependencies
    FROM pgtrickle.dependencies AS d
    JOIN pgtrickle.sources AS c ON c.id = d.source_id
    WHERE d.stream_table_id = s.id
) AS d ON true
WHERE (%(schema)s::text IS NULL AND s.options ->> 'replaces' IS NULL)
   OR (s.schema_name = %(schema)s::text AND s.table_name = %(name)s::text)
ORDER BY s.id
