-- The stream table takes over what its replacement was made from, stands where it stands, and says so in its history.
-- In return the replacement gets the old stages, to be removed with it.
-- The frontier's row is updated by every refresh: one that began before this fails and starts over.
WITH replaced AS (
    UPDATE pgtrickle.stream_tables AS t
    SET query = n.query, query_hash = n.query_hash, refresh_mode = n.refresh_mode,
        effective_refresh_mode = n.effective_refresh_mode, reasons = n.reasons, schedule = n.schedule,
        settings = n.settings, relations = n.relations, fingerprint = n.fingerprint, epoch = n.epoch,
        options = n.options - 'replaces'
            || jsonb_build_object('stages_of', coalesce(n.options ->> 'stages_of', n.id::text)), error = NULL, generation = t.generation + 1,
        status = CASE t.status WHEN 'SUSPENDED' THEN t.status ELSE 'ACTIVE' END
    FROM pgtrickle.stream_tables AS n
    WHERE t.id = %(id)s AND n.id = %(replacement)s
    RETURNING t.id
), handed_over AS (
    UPDATE pgtrickle.stream_tables AS n
    SET options = t.options || jsonb_build_object(
            'stages_of', coalesce(t.options ->> 'stages_of', t.id::text), 'replaces', t.id::text
        )
    FROM pgtrickle.stream_tables AS t
    WHERE t.id = %(id)s AND n.id = %(replacement)s
), moved AS (
    UPDATE pgtrickle.frontiers AS f
    SET snapshot = n.snapshot, applied_xid = n.applied_xid, refreshed_at = n.refreshed_at
    FROM pgtrickle.frontiers AS n, replaced AS r
    WHERE f.stream_table_id = r.id AND n.stream_table_id = %(replacement)s
    RETURNING f.stream_table_id, f.snapshot
)
INSERT INTO pgtrickle.refresh_history
    (stream_table_id, action, scope, reason, started_at, finished_at, inserted, snapshot)
SELECT m.stream_table_id, 'FULL', 'all', %(reason)s, n.created_at, pg_catalog.clock_timestamp(), %(rows)s, m.snapshot
FROM moved AS m, pgtrickle.stream_tables AS n
WHERE n.id = %(replacement)s
RETURNING stream_table_id
