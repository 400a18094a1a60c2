-- The catalog of pgtrickle. Runs in one transaction, with search_path = pg_catalog; the three schemas exist.

CREATE TABLE pgtrickle.installation (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    system_identifier bigint NOT NULL,
    database_oid oid NOT NULL,
    timeline text NOT NULL,
    epoch integer NOT NULL DEFAULT 1
);
COMMENT ON TABLE pgtrickle.installation IS
    'Where stored snapshots mean something: a restore elsewhere starts a new epoch.';

INSERT INTO pgtrickle.installation (system_identifier, database_oid, timeline)
SELECT control.system_identifier,
       (SELECT oid FROM pg_database WHERE datname = current_database()),
       left(pg_walfile_name(pg_current_wal_lsn()), 8)
FROM pg_control_system() AS control;

CREATE TABLE pgtrickle.stream_tables (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schema_name text NOT NULL,
    table_name text NOT NULL,
    query text NOT NULL,
    query_hash text NOT NULL,
    refresh_mode text NOT NULL CHECK (refresh_mode IN ('AUTO', 'DIFFERENTIAL', 'FULL')),
    effective_refresh_mode text NOT NULL CHECK (effective_refresh_mode IN ('DIFFERENTIAL', 'FULL')),
    reasons text[] NOT NULL DEFAULT '{}',
    status text NOT NULL CHECK (status IN ('POPULATING', 'ACTIVE', 'ERROR')),
    schedule text NOT NULL,
    settings jsonb NOT NULL DEFAULT '{}',
    relations jsonb NOT NULL DEFAULT '[]',
    fingerprint text NOT NULL DEFAULT '',
    generation bigint NOT NULL DEFAULT 1,
    epoch integer NOT NULL DEFAULT 1,
    options jsonb NOT NULL DEFAULT '{}',
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (schema_name, table_name)
);
COMMENT ON COLUMN pgtrickle.stream_tables.settings IS
    'Settings of the creating session that bear on the result; every refresh sets them.';
COMMENT ON COLUMN pgtrickle.stream_tables.relations IS
    'Every relation that the query reads, through views too, as [schema, name].';

-- Updated by every refresh, hence room for the next version of a row in its page.
CREATE TABLE pgtrickle.frontiers (
    stream_table_id bigint PRIMARY KEY REFERENCES pgtrickle.stream_tables ON DELETE CASCADE,
    snapshot pg_snapshot NOT NULL,
    applied_xid xid8,
    refreshed_at timestamptz
) WITH (fillfactor = 50);

CREATE TABLE pgtrickle.sources (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation_schema text NOT NULL,
    relation_name text NOT NULL,
    table_schema text NOT NULL,
    table_name text NOT NULL,
    table_oid oid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('table', 'partitioned', 'stream_table')),
    columns jsonb NOT NULL DEFAULT '[]',
    pairing text[],
    capture_failure text NOT NULL CHECK (capture_failure IN ('rebuild', 'fail')),
    capture_version integer NOT NULL DEFAULT 0,
    capture_stamp text NOT NULL DEFAULT '',
    floor pg_snapshot,
    UNIQUE (relation_schema, relation_name)
);
COMMENT ON COLUMN pgtrickle.sources.capture_stamp IS
    'The triggers as capture left them; a difference means that someone else touched them.';
COMMENT ON COLUMN pgtrickle.sources.floor IS
    'What clean-up has removed: a reader that starts before it would miss rows.';

CREATE TABLE pgtrickle.dependencies (
    stream_table_id bigint NOT NULL REFERENCES pgtrickle.stream_tables ON DELETE CASCADE,
    source_id bigint NOT NULL REFERENCES pgtrickle.sources,
    columns text[] NOT NULL,
    PRIMARY KEY (stream_table_id, source_id)
);
CREATE INDEX dependencies_source_id ON pgtrickle.dependencies (source_id);

-- No foreign key: its check would cost every refresh a look at stream_tables and a lock on the row.
CREATE TABLE pgtrickle.refresh_history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stream_table_id bigint NOT NULL,
    action text NOT NULL,
    scope text NOT NULL,
    reason text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    inserted bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    deleted bigint NOT NULL DEFAULT 0,
    snapshot pg_snapshot,
    error text
);
CREATE INDEX refresh_history_stream_table_id ON pgtrickle.refresh_history (stream_table_id, id);

-- Written by capture triggers in the writer's transaction: no foreign key, whose check would lock.
CREATE TABLE pgtrickle_changes.marks (
    change_id bigint GENERATED ALWAYS AS IDENTITY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    source_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('truncate', 'gap', 'rebuild')),
    detail text CHECK (length(detail) <= 5)
);
CREATE INDEX marks_source_id ON pgtrickle_changes.marks (source_id);
COMMENT ON COLUMN pgtrickle_changes.marks.detail IS 'A SQLSTATE at most, never a value.';

CREATE VIEW pgtrickle.pgt_status AS
SELECT format('%I.%I', s.schema_name, s.table_name) AS name,
       s.refresh_mode,
       s.effective_refresh_mode,
       s.reasons,
       s.status,
       f.refreshed_at,
       s.error
FROM pgtrickle.stream_tables AS s
LEFT JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id;

CREATE FUNCTION pgtrickle.refuse_direct_dml() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
    IF pg_catalog.current_setting('pgtrickle.refreshing', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the rows of a stream table are written by its refresh only'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = pg_catalog.format('Table %I.%I holds the rows of a stream table.', TG_TABLE_SCHEMA, TG_TABLE_NAME),
              HINT = 'Change the source tables, or the query of the stream table.';
END
$function$;
COMMENT ON FUNCTION pgtrickle.refuse_direct_dml() IS
    'For BEFORE ... FOR EACH STATEMENT triggers on storage tables.';
REVOKE ALL ON FUNCTION pgtrickle.refuse_direct_dml() FROM PUBLIC;
