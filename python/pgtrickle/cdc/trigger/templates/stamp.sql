-- The triggers of a source as they are now, in the form that fingerprint_at_snapshot computes for comparison.
WITH RECURSIVE tree (oid, parent) AS (
    SELECT %(root)s::oid, 0::oid
    UNION
    SELECT i.inhrelid, i.inhparent FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid
)
SELECT md5(string_agg(
    concat_ws(':', t.oid, t.parent,
        (SELECT string_agg(i.inhparent::text, ',' ORDER BY i.inhparent) FROM pg_inherits AS i WHERE i.inhrelid = t.oid),
        (SELECT count(*) FROM pg_subscription_rel AS r WHERE r.srrelid = t.oid),
        (
            SELECT string_agg(concat_ws('.', g.oid, g.xmin, g.tgenabled), ',' ORDER BY g.oid)
            FROM pg_trigger AS g
            WHERE g.tgrelid = t.oid AND starts_with(g.tgname::text, 'pgtrickle_' || %(id)s::bigint || '_')
        )
    ),
    ';' ORDER BY t.oid, t.parent
))
FROM tree AS t
