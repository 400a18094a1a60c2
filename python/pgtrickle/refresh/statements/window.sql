SELECT pg_try_advisory_xact_lock($1::int4, $2::int4) AS leased,
       f.snapshot::text AS frontier,
       coalesce(f.applied_xid, '0'::xid8)::text AS applied_xid,
       pg_current_snapshot()::text AS snapshot,
       pg_current_xact_id_if_assigned() IS NULL AS unassigned,
       s.status,
       s.generation,
       s.fingerprint,
       s.epoch = i.epoch AND i.system_identifier = c.system_identifier AND i.database_oid = d.oid
           AND pg_snapshot_xmax(f.snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) AS same_epoch,
       (SELECT array_agg(DISTINCT m.kind ORDER BY m.kind)
        FROM pgtrickle_changes.marks AS m
        WHERE m.source_id = ANY ($4::bigint[])
          AND m.xid >= pg_snapshot_xmin(f.snapshot)
          AND NOT pg_visible_in_snapshot(m.xid, f.snapshot)) AS marks,
       ARRAY[{probes}]::boolean[] AS changed,
       ARRAY[pg_stat_get_xact_tuples_inserted($5::oid), pg_stat_get_xact_tuples_updated($5::oid),
             pg_stat_get_xact_tuples_deleted($5::oid)] AS touched,
       {sizes} AS buffered,
       (SELECT count(set_config(setting.key, setting.value, true))
        FROM jsonb_each_text(s.settings) AS setting) AS fixed
FROM pgtrickle.stream_tables AS s
JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id
CROSS JOIN pgtrickle.installation AS i
CROSS JOIN pg_control_system() AS c
JOIN pg_database AS d ON d.datname = current_database()
WHERE s.id = $3::bigint
