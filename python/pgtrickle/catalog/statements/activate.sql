-- All rows are in place: the stream table stands at a snapshot. Plans made before fit it no longer, hence the
-- generation. A suspended table stays suspended; one that replaces another stays POPULATING until it has done so.
WITH active AS (
    UPDATE pgtrickle.stream_tables
    SET status = CASE WHEN status = 'SUSPENDED' OR options ->> 'replaces' IS NOT NULL THEN status ELSE 'ACTIVE' END,
        fingerprint = %(fingerprint)s, error = NULL, generation = generation + 1
    WHERE id = %(id)s
    RETURNING id
)
UPDATE pgtrickle.frontiers
SET snapshot = %(snapshot)s::pg_snapshot,
    applied_xid = pg_catalog.pg_current_xact_id(),
    refreshed_at = pg_catalog.clock_timestamp()
FROM active
WHERE stream_table_id = active.id
