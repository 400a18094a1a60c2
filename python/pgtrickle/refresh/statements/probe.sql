-- New changes are mostly at the end of the buffer: look there before reading what others have yet to clean up.
CASE WHEN EXISTS (SELECT FROM {buffer} AS b
                  WHERE b.ctid >= (SELECT format('(%s,0)', greatest(pg_relation_size({name}) / current_setting('block_size')::integer - 1, 0))::tid)
                    AND b.xid >= pg_snapshot_xmin(f.snapshot)
                    AND NOT pg_visible_in_snapshot(b.xid, f.snapshot)
                    AND b.xid <> coalesce(f.applied_xid, '0'::xid8))
     THEN true
     ELSE EXISTS (SELECT FROM {buffer} AS b
                  WHERE b.xid >= pg_snapshot_xmin(f.snapshot)
                    AND NOT pg_visible_in_snapshot(b.xid, f.snapshot)
                    AND b.xid <> coalesce(f.applied_xid, '0'::xid8))
END
