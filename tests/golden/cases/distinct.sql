-- name: DISTINCT counts
-- changed: orders
SELECT DISTINCT region FROM shop.orders
---
WITH "delta_1" AS (
  SELECT
    "id" AS "id",
    "customer_id" AS "customer_id",
    "region" AS "region",
    "amount" AS "amount",
    "weight" AS "weight",
    CASE WHEN "action" = 'I' THEN 1 ELSE (
      -1
    ) END AS "__pgt_weight"
  FROM "pgtrickle_changes"."changes_1"
  WHERE
    (
      (
        "xid" >= (
          (
            SELECT
              PG_SNAPSHOT_XMIN(CAST(CURRENT_SETTING('pgtrickle.frontier') AS pg_snapshot))
          )
        )
      )
      AND (
        NOT PG_VISIBLE_IN_SNAPSHOT("xid", (
          SELECT
            CAST(CURRENT_SETTING('pgtrickle.frontier') AS pg_snapshot)
        ))
      )
      AND (
        "xid" <> (
          (
            SELECT
              CAST(CURRENT_SETTING('pgtrickle.applied_xid') AS xid8)
          )
        )
      )
    )
), "changes_1" AS (
  SELECT
    "region_2" AS "column_3",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "region" AS "region_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "groups" AS (
  SELECT
    "column_3_",
    SUM("__pgt_weight") AS "__pgt_count"
  FROM (
    SELECT
      "column_3" AS "column_3_",
      "__pgt_weight"
    FROM (
      SELECT
        "column_3",
        "__pgt_weight"
      FROM "changes_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "column_3_"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."region"), 0) = HASH_RECORD_EXTENDED(ROW("d"."column_3_"), 0)
)
AND (
  "t"."region" IS NOT DISTINCT FROM "d"."column_3_"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("region", "__pgt_count") VALUES ("d"."column_3_", "d"."__pgt_count")
