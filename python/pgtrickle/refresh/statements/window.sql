-- Takes the lease, the frontier and the changed set, and publishes the window to the statements after it.
-- $1 is NULL, or the facts that those statements were made for: if they do not hold, an empty window is published.
SELECT w.*,
       g.facts,
       g.go,
       set_config('pgtrickle.frontier', CASE WHEN g.go THEN w.frontier ELSE w.snapshot END, true),
       set_config('pgtrickle.applied_xid', w.applied_xid, true),
       set_config('pgtrickle.touched', w.touched::text, true),
       set_config('pgtrickle.go', CASE WHEN g.go THEN 'on' ELSE 'off' END, true),
       set_config('pgtrickle.refreshing', 'on', true),
       set_config('row_security', 'off', true),
       ARRAY[{settings}]::text[]
FROM (
    SELECT pg_try_advisory_xact_lock({space}, {object}) AS leased,
           f.snapshot::text AS frontier,
           coalesce(f.applied_xid, '0'::xid8)::text AS applied_xid,
           pg_current_snapshot()::text AS snapshot,
           pg_current_xact_id_if_assigned() IS NULL AS unassigned,
           s.status,
           s.generation,
           s.fingerprint,
           s.epoch = i.epoch AND i.system_identifier = {system_identifier} AND i.database_oid = {database_oid}::oid
               AND pg_snapshot_xmax(f.snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) AS same_epoch,
           (SELECT array_agg(DISTINCT m.kind ORDER BY m.kind)
            FROM pgtrickle_changes.marks AS m
            WHERE m.source_id = ANY ({sources}::bigint[])
              AND m.xid >= pg_snapshot_xmin(f.snapshot)
              AND NOT pg_visible_in_snapshot(m.xid, f.snapshot)) AS marks,
           ARRAY[{probes}]::boolean[] AS changed,
           ARRAY[pg_stat_get_xact_tuples_inserted({storage}::oid), pg_stat_get_xact_tuples_updated({storage}::oid),
                 pg_stat_get_xact_tuples_deleted({storage}::oid)] AS touched,
           {sizes} AS buffered,
           -- The versions of every catalog row that the fingerprint reads: unchanged, so is the fingerprint.
           (SELECT string_agg(version, ',') FROM (
               SELECT 'c' || r.xmin FROM pg_class AS r WHERE r.oid = ANY ({watched}::oid[])
               UNION ALL SELECT 'a' || r.xmin FROM pg_attribute AS r WHERE r.attrelid = ANY ({watched}::oid[])
               UNION ALL SELECT 'd' || r.xmin FROM pg_attrdef AS r WHERE r.adrelid = ANY ({watched}::oid[])
               UNION ALL SELECT 'x' || r.xmin FROM pg_index AS r WHERE r.indrelid = ANY ({watched}::oid[])
               UNION ALL SELECT 't' || r.xmin FROM pg_trigger AS r WHERE r.tgrelid = ANY ({watched}::oid[])
               UNION ALL SELECT 'r' || r.xmin FROM pg_rewrite AS r WHERE r.ev_class = ANY ({watched}::oid[])
               UNION ALL SELECT 'p' || r.xmin FROM pg_inherits AS r WHERE r.inhparent = ANY ({watched}::oid[])
               UNION ALL SELECT 'i' || r.xmin FROM pg_inherits AS r WHERE r.inhrelid = ANY ({watched}::oid[])
               UNION ALL SELECT 's' || r.xmin FROM pg_subscription_rel AS r WHERE r.srrelid = ANY ({watched}::oid[])
           ) AS catalog (version)) AS versions
    FROM pgtrickle.stream_tables AS s
    JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id
    CROSS JOIN pgtrickle.installation AS i
    WHERE s.id = {id}::bigint
) AS w
CROSS JOIN LATERAL (
    -- All that a refresh decides from, but for its position.
    SELECT ROW(w.leased, w.unassigned, w.status, w.generation, w.fingerprint, w.same_epoch, w.marks, w.changed,
               length(w.buffered::text), w.versions)::text AS facts
    OFFSET 0
) AS seen
CROSS JOIN LATERAL (SELECT seen.facts, $1::text IS NULL OR $1::text = seen.facts AS go OFFSET 0) AS g
