-- The indexes by which rows of tables can be looked up: valid btrees over all rows; NULL stands for an expression, and for a
-- column in another collation.
SELECT w.schema_name, w.table_name, array_agg(a.attname::text ORDER BY k.position)
FROM unnest(%s::text[], %s::text[]) AS w (schema_name, table_name)
JOIN pg_namespace AS n ON n.nspname = w.schema_name
JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = w.table_name
JOIN pg_index AS x ON x.indrelid = c.oid
JOIN pg_class AS i ON i.oid = x.indexrelid
JOIN pg_am AS m ON m.oid = i.relam AND m.amname = 'btree'
CROSS JOIN LATERAL unnest(x.indkey::int2[], x.indcollation::oid[])
    WITH ORDINALITY AS k (attnum, collation_oid, position)
LEFT JOIN pg_attribute AS a
    ON a.attrelid = x.indrelid AND a.attnum = k.attnum AND a.attcollation = k.collation_oid
WHERE x.indisvalid AND x.indpred IS NULL AND k.position <= x.indnkeyatts
GROUP BY w.schema_name, w.table_name, x.indexrelid
ORDER BY w.schema_name, w.table_name, x.indexrelid
