-- The snapshot of a transaction that stores all rows anew; publishes what `finish.sql` reads.
SELECT pg_current_snapshot()::text AS snapshot,
       set_config('pgtrickle.touched', ARRAY[
           coalesce(pg_stat_get_xact_tuples_inserted(to_regclass($2::text)), 0),
           coalesce(pg_stat_get_xact_tuples_updated(to_regclass($2::text)), 0),
           coalesce(pg_stat_get_xact_tuples_deleted(to_regclass($2::text)), 0)]::text, true),
       set_config('pgtrickle.go', 'on', true),
       set_config('pgtrickle.refreshing', 'on', true),
       set_config('row_security', 'off', true),
       (SELECT count(set_config(setting.key, setting.value, true))
        FROM jsonb_each_text(s.settings) AS setting
        WHERE current_setting(setting.key) <> setting.value)
FROM pgtrickle.stream_tables AS s
WHERE s.id = $1::bigint
