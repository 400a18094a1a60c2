-- Stores what was compiled for a generation that is still the present one, up to a limit.
-- A description of the parts is written when the inputs are new: what was compiled from others goes.
WITH present AS (
    SELECT id FROM pgtrickle.stream_tables
    WHERE id = %(id)s AND generation = %(generation)s
    FOR KEY SHARE SKIP LOCKED
), outdated AS (
    DELETE FROM pgtrickle.plan_cache AS p
    USING present
    WHERE p.stream_table_id = present.id AND %(parts)s = ANY (%(keys)s::text[])
      AND (p.generation <> %(generation)s OR p.inputs <> %(inputs)s)
)
INSERT INTO pgtrickle.plan_cache (stream_table_id, generation, inputs, key, compiled)
SELECT present.id, %(generation)s, %(inputs)s, new.key, new.compiled
FROM present
CROSS JOIN unnest(%(keys)s::text[], %(compiled)s::text[]) AS new (key, compiled)
WHERE %(limit)s > (
    SELECT count(*) FROM pgtrickle.plan_cache AS p
    WHERE p.stream_table_id = %(id)s AND p.generation = %(generation)s AND p.inputs = %(inputs)s
)
ON CONFLICT DO NOTHING
