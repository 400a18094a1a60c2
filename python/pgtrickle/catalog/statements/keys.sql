-- The keys of tables: columns of unique indexes that are plain, valid, NOT NULL and compare as the columns do.
SELECT x.indrelid::bigint, array_agg(a.attname ORDER BY k.position)
FROM pg_index AS x
JOIN pg_class AS i ON i.oid = x.indexrelid
JOIN pg_am AS m ON m.oid = i.relam AND m.amname = 'btree'
CROSS JOIN LATERAL unnest(x.indkey::int2[], x.indclass::oid[], x.indcollation::oid[])
    WITH ORDINALITY AS k (attnum, operator_class, collation_oid, position)
JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
JOIN pg_opclass AS o ON o.oid = k.operator_class
WHERE x.indrelid = ANY (%s::oid[]) AND k.position <= x.indnkeyatts
  AND x.indisunique AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL
GROUP BY x.indrelid, x.indexrelid, x.indisprimary
HAVING bool_and(
    a.attnotnull AND o.opcdefault AND k.collation_oid = a.attcollation
    AND NOT EXISTS (
        SELECT FROM pg_constraint AS c
        WHERE c.conrelid = a.attrelid AND c.contype = 'n' AND NOT c.convalidated
          AND c.conkey = ARRAY[a.attnum]
    )
)
ORDER BY x.indrelid, x.indisprimary DESC, x.indexrelid
