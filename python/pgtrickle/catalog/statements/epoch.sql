-- Where and when stored snapshots mean something: system identifier, database, timeline, next transaction.
SELECT control.system_identifier,
       (SELECT oid::bigint FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) AS database_oid,
       pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) AS timeline,
       pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text::bigint AS next_xid
FROM pg_catalog.pg_control_system() AS control
