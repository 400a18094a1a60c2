SELECT pg_current_snapshot()::text AS snapshot,
       ARRAY[coalesce(pg_stat_get_xact_tuples_inserted(to_regclass($2::text)), 0),
             coalesce(pg_stat_get_xact_tuples_updated(to_regclass($2::text)), 0),
             coalesce(pg_stat_get_xact_tuples_deleted(to_regclass($2::text)), 0)] AS touched,
       (SELECT count(set_config(setting.key, setting.value, true))
        FROM jsonb_each_text(s.settings) AS setting
        WHERE current_setting(setting.key) <> setting.value) AS fixed,
       set_config('row_security', 'off', true) || set_config('pgtrickle.refreshing', 'on', true) AS refreshing
FROM pgtrickle.stream_tables AS s
WHERE s.id = $1::bigint
