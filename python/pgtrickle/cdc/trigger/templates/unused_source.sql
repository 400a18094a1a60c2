-- The source, locked, if no stream table depends on it.
SELECT s.id
FROM pgtrickle.sources AS s
WHERE s.id = %s AND NOT EXISTS (SELECT FROM pgtrickle.dependencies AS d WHERE d.source_id = s.id)
FOR UPDATE OF s
