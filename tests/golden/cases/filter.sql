-- name: the predicate moves onto the change buffer
-- changed: orders
SELECT id FROM shop.orders WHERE (amount > (10)::numeric)
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
    "id_1",
    "amount_2",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "amount" AS "amount_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
  WHERE
    (
      "amount_2" > CAST((
        10
      ) AS DECIMAL)
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "amount_2",
          "__pgt_weight"
        FROM "changes_1"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "id",
    "__pgt_weight" DESC
) AS "d"
ON (
  "t"."id" = "d"."id"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id") VALUES ("d"."id")

-- name: a view is inlined and its predicate kept
-- changed: orders
SELECT id, region FROM shop.big_orders WHERE (region = 'north'::text)
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
    "id_1",
    "customer_id_2",
    "region_3",
    "amount_4",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "region" AS "region_3",
      "amount" AS "amount_4",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
  WHERE
    (
      "amount_4" > CAST((
        100
      ) AS DECIMAL)
    )
), "changes_2" AS (
  SELECT
    "id_1" AS "id_5",
    "customer_id_2" AS "customer_id_6",
    "region_3" AS "region_7",
    "amount_4" AS "amount_8",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      "customer_id_2",
      "region_3",
      "amount_4",
      "__pgt_weight"
    FROM "changes_1"
  ) AS "changes"
), "changes_3" AS (
  SELECT
    "id_5",
    "customer_id_6",
    "region_7",
    "amount_8",
    "__pgt_weight"
  FROM (
    SELECT
      "id_5",
      "customer_id_6",
      "region_7",
      "amount_8",
      "__pgt_weight"
    FROM "changes_2"
  ) AS "changes"
  WHERE
    (
      "region_7" = CAST('north' AS TEXT)
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "region",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "region" AS "region",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_5" AS "id",
        "region_7" AS "region",
        "__pgt_weight"
      FROM (
        SELECT
          "id_5",
          "customer_id_6",
          "region_7",
          "amount_8",
          "__pgt_weight"
        FROM "changes_3"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "region"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "id",
    "__pgt_weight" DESC
) AS "d"
ON (
  "t"."id" = "d"."id"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "region" = "d"."region"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "region") VALUES ("d"."id", "d"."region")
