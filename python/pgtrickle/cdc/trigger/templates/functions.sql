-- A source's capture functions, but for those to keep.
SELECT p.proname
FROM pg_proc AS p
WHERE p.pronamespace = 'pgtrickle_changes'::regnamespace
  AND starts_with(p.proname::text, %(prefix)s) AND p.proname <> ALL (%(keep)s::name[])
ORDER BY p.oid
