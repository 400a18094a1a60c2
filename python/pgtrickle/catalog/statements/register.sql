-- A new stream table with its dependencies; returns its id. The session holds its creation lock before the
-- row is committed: without it the row would look abandoned.
WITH registered AS (
    INSERT INTO pgtrickle.stream_tables (
        schema_name, table_name, query, query_hash, refresh_mode, effective_refresh_mode, reasons,
        status, schedule, settings, relations, options, epoch
    )
    SELECT %(schema)s, %(name)s, %(query)s, %(query_hash)s, %(refresh_mode)s, %(effective_mode)s,
           %(reasons)s::text[], 'POPULATING', %(schedule)s, %(settings)s, %(relations)s, %(options)s, i.epoch
    FROM pgtrickle.installation AS i
    RETURNING id
), placeholder AS (
    -- Not where the table stands, but what clean-up must keep for it from now on.
    INSERT INTO pgtrickle.frontiers (stream_table_id, snapshot)
    SELECT id, pg_catalog.pg_current_snapshot() FROM registered
), needed AS (
    INSERT INTO pgtrickle.dependencies (stream_table_id, source_id, columns)
    SELECT registered.id, (needed ->> 'source')::bigint,
           ARRAY(SELECT jsonb_array_elements_text(needed -> 'columns'))
    FROM registered, jsonb_array_elements(%(dependencies)s) AS needed
)
SELECT id, pg_catalog.pg_advisory_lock(%(creation_space)s::int4, (id %% 2147483648)::int4) FROM registered
