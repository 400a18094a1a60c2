-- name: a branch without a change is empty
-- changed: orders
SELECT id FROM shop.orders UNION ALL SELECT id FROM shop.customers
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
    "id_1" AS "id_2",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "changes_2" AS (
  SELECT
    "id_2" AS "id_5",
    "__pgt_weight"
  FROM (
    SELECT
      "id_2",
      "__pgt_weight"
    FROM "changes_1"
  ) AS "branch"
  UNION ALL
  SELECT
    "id_4" AS "id_5",
    "__pgt_weight"
  FROM (
    SELECT
      "id_4",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id_3" AS "id_4"
      FROM (
        SELECT
          "id" AS "id_3"
        FROM ONLY "shop"."customers"
      ) AS "rows"
    ) AS "rows"
  ) AS "branch"
  WHERE
    FALSE
), "changes" AS (
  SELECT
    "id",
    "__pgt_weight",
    HASH_RECORD_EXTENDED(ROW("id"), 0) AS "__pgt_row_hash",
    ROW_NUMBER() OVER () AS "__pgt_change"
  FROM (
    SELECT
      "id" AS "id",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_5" AS "id",
        "__pgt_weight"
      FROM (
        SELECT
          "id_5",
          "__pgt_weight"
        FROM "changes_2"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
), "removed" AS (
  DELETE FROM "pgtrickle_state"."shop.result" AS "t"
  WHERE
    "t"."ctid" = ANY(
      ARRAY(SELECT
        "__pgt_victim"
      FROM (
        SELECT
          "t"."ctid" AS "__pgt_victim",
          ROW_NUMBER() OVER (PARTITION BY "d"."__pgt_change") AS "__pgt_copy",
          "d"."__pgt_weight"
        FROM "changes" AS "d", "pgtrickle_state"."shop.result" AS "t"
        WHERE
          (
            (
              "t"."__pgt_row_hash" = "d"."__pgt_row_hash"
            )
            AND (
              "t"."id" IS NOT DISTINCT FROM "d"."id"
            )
          )
          AND (
            "d"."__pgt_weight" < 0
          )
      ) AS "candidates"
      WHERE
        (
          "__pgt_copy" <= (
            -"__pgt_weight"
          )
        ))
    )
)
INSERT INTO "pgtrickle_state"."shop.result" (
  "id",
  "__pgt_row_hash"
)
SELECT
  "d"."id",
  "d"."__pgt_row_hash"
FROM "changes" AS "d", GENERATE_SERIES(1, "d"."__pgt_weight") AS __pgt_copy
WHERE
  (
    "d"."__pgt_weight" > 0
  )
