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
       ARRAY[{settings}]::text[] AS fixed,
       set_config('row_security', 'off', true) || set_config('pgtrickle.refreshing', 'on', true) AS refreshing,
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
