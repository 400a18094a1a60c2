-- Compiled plans are shared by all processes. Runs with search_path = pg_catalog.

CREATE UNLOGGED TABLE pgtrickle.plan_cache (
    stream_table_id bigint NOT NULL REFERENCES pgtrickle.stream_tables ON DELETE CASCADE,
    generation bigint NOT NULL,
    inputs text NOT NULL,
    key text NOT NULL,
    compiled text NOT NULL,
    PRIMARY KEY (stream_table_id, generation, inputs, key)
);
COMMENT ON TABLE pgtrickle.plan_cache IS
    'What compiling gave, for processes to come; it may be emptied at any time.';
COMMENT ON COLUMN pgtrickle.plan_cache.inputs IS
    'A digest of all that was compiled: query, relations, types, storage, and the compiler itself.';
COMMENT ON COLUMN pgtrickle.plan_cache.key IS
    'parts, or the numbers of a part and of the sources that changed.';
