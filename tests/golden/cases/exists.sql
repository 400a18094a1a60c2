-- name: EXISTS is a semi join
-- changed: orders, customers
SELECT id FROM shop.orders WHERE (EXISTS ( SELECT 1 FROM shop.customers WHERE (customers.id = orders.customer_id)))
---
WITH "delta_1" AS (
  SELECT
    "id" AS "id",
    "name" AS "name",
    CASE WHEN "action" = 'I' THEN 1 ELSE (
      -1
    ) END AS "__pgt_weight"
  FROM "pgtrickle_changes"."changes_2"
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
), "delta_2" AS (
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
    "id_3" AS "id_3_4",
    1 AS "1_5",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_3",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "touched_2" AS (
  SELECT
    "id_1",
    "customer_id_2",
    "__pgt_stays",
    "__pgt_weight",
    ROW_NUMBER() OVER () AS "__pgt_row"
  FROM (
    SELECT
      "id_1",
      "customer_id_2",
      1 AS "__pgt_stays",
      0 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    WHERE
      (
        EXISTS(
          SELECT
            1
          FROM (
            SELECT
              "id_3_4",
              "1_5",
              "__pgt_weight"
            FROM "changes_1"
          ) AS "moved"
          WHERE
            (
              "id_3_4" = "customer_id_2"
            )
        )
      )
    UNION ALL
    SELECT
      "id_1",
      "customer_id_2",
      0 AS "__pgt_stays",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "__pgt_weight"
      FROM "delta_2"
    ) AS "changes"
  ) AS "rows"
), "counted_3" AS (
  SELECT
    "id_1",
    "customer_id_2",
    "__pgt_stays",
    "__pgt_weight",
    COALESCE("__pgt_now", 0) AS "__pgt_now",
    COALESCE("__pgt_moved", 0) AS "__pgt_moved"
  FROM (
    SELECT
      "id_1",
      "customer_id_2",
      "__pgt_stays",
      "__pgt_weight",
      "__pgt_row"
    FROM "touched_2"
  ) AS "touched"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      COUNT(*) AS "__pgt_now"
    FROM "touched_2" AS "touched", (
      SELECT
        "id_3" AS "id_3_4",
        1 AS "1_5"
      FROM (
        SELECT
          "id" AS "id_3"
        FROM ONLY "shop"."customers"
      ) AS "rows"
    ) AS "others"
    WHERE
      (
        "id_3_4" = "customer_id_2"
      )
    GROUP BY
      "__pgt_row"
  ) AS "now"
    ON "now"."__pgt_row" = "touched"."__pgt_row"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      SUM("others"."__pgt_weight") AS "__pgt_moved"
    FROM "touched_2" AS "touched", (
      SELECT
        "id_3_4",
        "1_5",
        "__pgt_weight"
      FROM "changes_1"
    ) AS "others"
    WHERE
      (
        "id_3_4" = "customer_id_2"
      )
    GROUP BY
      "__pgt_row"
  ) AS "moved"
    ON "moved"."__pgt_row" = "touched"."__pgt_row"
), "changes_4" AS (
  SELECT
    "id_1",
    "customer_id_2",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      "customer_id_2",
      (
        "__pgt_stays" * (
          CASE WHEN "__pgt_now" > 0 THEN 1 ELSE 0 END - CASE WHEN (
            "__pgt_now" - "__pgt_moved"
          ) > 0 THEN 1 ELSE 0 END
        )
      ) + (
        "__pgt_weight" * CASE WHEN (
          "__pgt_now" - "__pgt_moved"
        ) > 0 THEN 1 ELSE 0 END
      ) AS "__pgt_weight"
    FROM "counted_3"
  ) AS "weighed"
  WHERE
    (
      "__pgt_weight" <> 0
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
          "customer_id_2",
          "__pgt_weight"
        FROM "changes_4"
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

-- name: NOT IN over a nullable column is three anti joins
-- changed: orders
SELECT customers.id FROM shop.customers WHERE (NOT (customers.id IN ( SELECT orders.customer_id FROM shop.orders)))
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
    "customer_id_3" AS "customer_id_4",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_2",
      "customer_id" AS "customer_id_3",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "touched_2" AS (
  SELECT
    "id_1",
    "__pgt_stays",
    "__pgt_weight",
    ROW_NUMBER() OVER () AS "__pgt_row"
  FROM (
    SELECT
      "id_1",
      1 AS "__pgt_stays",
      0 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1"
      FROM ONLY "shop"."customers"
    ) AS "rows"
    WHERE
      (
        EXISTS(
          SELECT
            1
          FROM (
            SELECT
              "customer_id_4",
              "__pgt_weight"
            FROM "changes_1"
          ) AS "moved"
          WHERE
            (
              "id_1" = "customer_id_4"
            )
        )
      )
  ) AS "rows"
), "counted_3" AS (
  SELECT
    "id_1",
    "__pgt_stays",
    "__pgt_weight",
    COALESCE("__pgt_now", 0) AS "__pgt_now",
    COALESCE("__pgt_moved", 0) AS "__pgt_moved"
  FROM (
    SELECT
      "id_1",
      "__pgt_stays",
      "__pgt_weight",
      "__pgt_row"
    FROM "touched_2"
  ) AS "touched"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      COUNT(*) AS "__pgt_now"
    FROM "touched_2" AS "touched", (
      SELECT
        "customer_id_3" AS "customer_id_4"
      FROM (
        SELECT
          "id" AS "id_2",
          "customer_id" AS "customer_id_3"
        FROM ONLY "shop"."orders"
      ) AS "rows"
    ) AS "others"
    WHERE
      (
        "id_1" = "customer_id_4"
      )
    GROUP BY
      "__pgt_row"
  ) AS "now"
    ON "now"."__pgt_row" = "touched"."__pgt_row"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      SUM("others"."__pgt_weight") AS "__pgt_moved"
    FROM "touched_2" AS "touched", (
      SELECT
        "customer_id_4",
        "__pgt_weight"
      FROM "changes_1"
    ) AS "others"
    WHERE
      (
        "id_1" = "customer_id_4"
      )
    GROUP BY
      "__pgt_row"
  ) AS "moved"
    ON "moved"."__pgt_row" = "touched"."__pgt_row"
), "changes_4" AS (
  SELECT
    "id_1",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      (
        "__pgt_stays" * (
          CASE WHEN "__pgt_now" = 0 THEN 1 ELSE 0 END - CASE WHEN (
            "__pgt_now" - "__pgt_moved"
          ) = 0 THEN 1 ELSE 0 END
        )
      ) + (
        "__pgt_weight" * CASE WHEN (
          "__pgt_now" - "__pgt_moved"
        ) = 0 THEN 1 ELSE 0 END
      ) AS "__pgt_weight"
    FROM "counted_3"
  ) AS "weighed"
  WHERE
    (
      "__pgt_weight" <> 0
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
          "__pgt_weight"
        FROM "changes_4"
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
