-- Moves the frontier and writes the history, unless the window that was published is an empty one in place of another.
WITH counted AS (
    -- These functions count since the session last reported its statistics, hence the difference.
    SELECT pg_stat_get_xact_tuples_inserted($2::oid) - before.touched[1] AS inserted,
           pg_stat_get_xact_tuples_updated($2::oid) - before.touched[2] AS updated,
           pg_stat_get_xact_tuples_deleted($2::oid) - before.touched[3] AS deleted
    FROM (SELECT current_setting('pgtrickle.touched')::bigint[] AS touched OFFSET 0) AS before
    WHERE current_setting('pgtrickle.go') = 'on'
), moved AS (
    UPDATE pgtrickle.frontiers
    SET snapshot = pg_current_snapshot(), applied_xid = pg_current_xact_id(), refreshed_at = now()
    WHERE stream_table_id = $1::bigint AND current_setting('pgtrickle.go') = 'on'
)
INSERT INTO pgtrickle.refresh_history
    (stream_table_id, action, scope, reason, started_at, finished_at, inserted, updated, deleted, snapshot)
SELECT $1::bigint, $3::text, $4::text, $5::text, now(), clock_timestamp(), inserted, updated, deleted, pg_current_snapshot()
FROM counted
RETURNING inserted, updated, deleted
