-- Stream tables can be suspended, and can be replaced while they are read. Runs with search_path = pg_catalog.

ALTER TABLE pgtrickle.stream_tables DROP CONSTRAINT stream_tables_status_check;
ALTER TABLE pgtrickle.stream_tables
    ADD CHECK (status IN ('POPULATING', 'ACTIVE', 'SUSPENDED', 'ERROR'));
COMMENT ON COLUMN pgtrickle.stream_tables.options IS
    'layout: how rows are stored; capture_failure: what its reader asked for; replaces: the stream table whose place this one takes.';

CREATE OR REPLACE VIEW pgtrickle.pgt_status AS
SELECT format('%I.%I', s.schema_name, s.table_name) AS name,
       s.refresh_mode,
       s.effective_refresh_mode,
       s.reasons,
       s.status,
       f.refreshed_at,
       s.error
FROM pgtrickle.stream_tables AS s
LEFT JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id
WHERE s.options ->> 'replaces' IS NULL;
