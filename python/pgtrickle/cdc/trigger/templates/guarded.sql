#variable_conflict use_column
BEGIN
{capture}
    RETURN NULL;
EXCEPTION
    WHEN serialization_failure OR deadlock_detected OR query_canceled THEN
        RAISE;
    WHEN OTHERS THEN
        -- The writer goes on; the gap makes every consumer rebuild.
        INSERT INTO pgtrickle_changes.marks (source_id, kind, detail) VALUES ({source_id}, 'gap', SQLSTATE);
        RETURN NULL;
END
