-- Of the given stream tables, those whose creation lock is free; holds it until the transaction ends.
SELECT id
FROM unnest(%s::bigint[], %s::int4[], %s::int4[]) AS candidate (id, space, object)
WHERE pg_catalog.pg_try_advisory_xact_lock(space, object)
