-- Begins a new epoch when the catalog stands in another cluster or database than it was written in, or when the
-- stream table's frontier lies in the future; returns a row only then. A table that is behind begins none.
UPDATE pgtrickle.installation AS i
SET system_identifier = c.system_identifier,
    database_oid = d.oid,
    timeline = left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8),
    epoch = i.epoch + 1
FROM pg_catalog.pg_control_system() AS c, pg_catalog.pg_database AS d, pgtrickle.stream_tables AS s
JOIN pgtrickle.frontiers AS f ON f.stream_table_id = s.id
WHERE d.datname = pg_catalog.current_database()
  AND s.id = %(id)s AND s.epoch = i.epoch
  AND (i.system_identifier <> c.system_identifier OR i.database_oid <> d.oid
       OR pg_catalog.pg_snapshot_xmax(f.snapshot) > pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
RETURNING i.epoch
