-- What was compiled of one thing: $1 stream table, $2 generation, $3 inputs, $4 key.
SELECT p.compiled
FROM pgtrickle.plan_cache AS p
WHERE p.stream_table_id = $1::bigint AND p.generation = $2::bigint AND p.inputs = $3::text AND p.key = $4::text
