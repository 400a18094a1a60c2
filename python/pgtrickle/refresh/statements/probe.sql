EXISTS (SELECT FROM {buffer} AS b
        WHERE b.xid >= pg_snapshot_xmin(f.snapshot)
          AND NOT pg_visible_in_snapshot(b.xid, f.snapshot)
          AND b.xid <> coalesce(f.applied_xid, '0'::xid8))
