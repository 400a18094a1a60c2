WITH counted AS (
    -- These functions count since the session last reported its statistics, hence the difference.
    SELECT pg_stat_get_xact_tuples_inserted($2::oid) - $7::bigint AS inserted,
           pg_stat_get_xact_tuples_updated($2::oid) - $8::bigint AS updated,
           pg_stat_get_xact_tuples_deleted($2::oid) - $9::bigint AS deleted
), moved AS (
    UPDATE pgtrickle.frontiers
    SET snapshot = $3::pg_snapshot, applied_xid = pg_current_xact_id(), refreshed_at = now()
    WHERE stream_table_id = $1::bigint
)
INSERT INTO pgtrickle.refresh_history
    (stream_table_id, action, scope, reason, started_at, finished_at, inserted, updated, deleted, snapshot)
SELECT $1::bigint, $4::text, $5::text, $6::text, now(), clock_timestamp(), inserted, updated, deleted, $3::pg_snapshot
FROM counted
RETURNING inserted, updated, deleted
