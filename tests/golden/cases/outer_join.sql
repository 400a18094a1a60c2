-- name: a left join to a key follows both sides
-- changed: orders, customers
SELECT orders.id, customers.name FROM (shop.orders LEFT JOIN shop.customers ON ((orders.customer_id = customers.id)))
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
), "touched_1" AS (
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
              "id" AS "id_3",
              "name" AS "name_4",
              "__pgt_weight"
            FROM "delta_1"
          ) AS "moved"
          WHERE
            (
              "customer_id_2" = "id_3"
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
), "counted_2" AS (
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
    FROM "touched_1"
  ) AS "touched"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      COUNT(*) AS "__pgt_now"
    FROM "touched_1" AS "touched", (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4"
      FROM ONLY "shop"."customers"
    ) AS "others"
    WHERE
      (
        "customer_id_2" = "id_3"
      )
    GROUP BY
      "__pgt_row"
  ) AS "now"
    ON "now"."__pgt_row" = "touched"."__pgt_row"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      SUM("others"."__pgt_weight") AS "__pgt_moved"
    FROM "touched_1" AS "touched", (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "others"
    WHERE
      (
        "customer_id_2" = "id_3"
      )
    GROUP BY
      "__pgt_row"
  ) AS "moved"
    ON "moved"."__pgt_row" = "touched"."__pgt_row"
), "changes_3" AS (
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    1 * "input_1"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_2"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4"
    FROM ONLY "shop"."customers"
  ) AS "input_2"
  WHERE
    (
      "customer_id_2" = "id_3"
    )
  UNION ALL
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    1 * "input_2"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2"
    FROM ONLY "shop"."orders"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_2"
  WHERE
    (
      "customer_id_2" = "id_3"
    )
  UNION ALL
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    (
      (
        -1
      ) * "input_1"."__pgt_weight"
    ) * "input_2"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_2"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_2"
  WHERE
    (
      "customer_id_2" = "id_3"
    )
  UNION ALL
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    "__pgt_weight"
  FROM (
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
            CASE WHEN "__pgt_now" = 0 THEN 1 ELSE 0 END - CASE WHEN (
              "__pgt_now" - "__pgt_moved"
            ) = 0 THEN 1 ELSE 0 END
          )
        ) + (
          "__pgt_weight" * CASE WHEN (
            "__pgt_now" - "__pgt_moved"
          ) = 0 THEN 1 ELSE 0 END
        ) AS "__pgt_weight"
      FROM "counted_2"
    ) AS "weighed"
    WHERE
      (
        "__pgt_weight" <> 0
      )
  ) AS "rows"
  LEFT JOIN (
    SELECT
      "id_3",
      "name_4"
    FROM (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4"
      FROM ONLY "shop"."customers"
    ) AS "others"
    WHERE
      FALSE
  ) AS "nothing"
    ON TRUE
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "name",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "name" AS "name",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        "name_4" AS "name",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "customer_id_2",
          "id_3",
          "name_4",
          "__pgt_weight"
        FROM "changes_3"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "name"
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
  "name" = "d"."name"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "name") VALUES ("d"."id", "d"."name")

-- name: with one side changed one count is enough
-- changed: customers
SELECT orders.id, customers.name FROM (shop.orders LEFT JOIN shop.customers ON ((orders.customer_id = customers.id)))
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
), "touched_1" AS (
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
              "id" AS "id_3",
              "name" AS "name_4",
              "__pgt_weight"
            FROM "delta_1"
          ) AS "moved"
          WHERE
            (
              "customer_id_2" = "id_3"
            )
        )
      )
  ) AS "rows"
), "counted_2" AS (
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
    FROM "touched_1"
  ) AS "touched"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      COUNT(*) AS "__pgt_now"
    FROM "touched_1" AS "touched", (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4"
      FROM ONLY "shop"."customers"
    ) AS "others"
    WHERE
      (
        "customer_id_2" = "id_3"
      )
    GROUP BY
      "__pgt_row"
  ) AS "now"
    ON "now"."__pgt_row" = "touched"."__pgt_row"
  LEFT JOIN (
    SELECT
      "__pgt_row",
      SUM("others"."__pgt_weight") AS "__pgt_moved"
    FROM "touched_1" AS "touched", (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "others"
    WHERE
      (
        "customer_id_2" = "id_3"
      )
    GROUP BY
      "__pgt_row"
  ) AS "moved"
    ON "moved"."__pgt_row" = "touched"."__pgt_row"
), "changes_3" AS (
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    1 * "input_2"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2"
    FROM ONLY "shop"."orders"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_2"
  WHERE
    (
      "customer_id_2" = "id_3"
    )
  UNION ALL
  SELECT
    "id_1",
    "customer_id_2",
    "id_3",
    "name_4",
    "__pgt_weight"
  FROM (
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
            CASE WHEN "__pgt_now" = 0 THEN 1 ELSE 0 END - CASE WHEN (
              "__pgt_now" - "__pgt_moved"
            ) = 0 THEN 1 ELSE 0 END
          )
        ) + (
          "__pgt_weight" * CASE WHEN (
            "__pgt_now" - "__pgt_moved"
          ) = 0 THEN 1 ELSE 0 END
        ) AS "__pgt_weight"
      FROM "counted_2"
    ) AS "weighed"
    WHERE
      (
        "__pgt_weight" <> 0
      )
  ) AS "rows"
  LEFT JOIN (
    SELECT
      "id_3",
      "name_4"
    FROM (
      SELECT
        "id" AS "id_3",
        "name" AS "name_4"
      FROM ONLY "shop"."customers"
    ) AS "others"
    WHERE
      FALSE
  ) AS "nothing"
    ON TRUE
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "name",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "name" AS "name",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        "name_4" AS "name",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "customer_id_2",
          "id_3",
          "name_4",
          "__pgt_weight"
        FROM "changes_3"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "name"
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
  "name" = "d"."name"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "name") VALUES ("d"."id", "d"."name")
