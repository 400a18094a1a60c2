SELECT pg_current_snapshot()::text AS snapshot,
       ARRAY[pg_stat_get_xact_tuples_inserted($2::oid), pg_stat_get_xact_tuples_updated($2::oid),
             pg_stat_get_xact_tuples_deleted($2::oid)] AS touched,
       (SELECT count(set_config(setting.key, setting.value, true))
        FROM jsonb_each_text(s.settings) AS setting
        WHERE current_setting(setting.key) <> setting.value) AS fixed
FROM pgtrickle.stream_tables AS s
WHERE s.id = $1::bigint
