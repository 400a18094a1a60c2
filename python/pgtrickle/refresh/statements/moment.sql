SELECT pg_current_snapshot()::text AS snapshot,
       ARRAY[pg_stat_get_xact_tuples_inserted($1::oid), pg_stat_get_xact_tuples_updated($1::oid),
             pg_stat_get_xact_tuples_deleted($1::oid)] AS touched
