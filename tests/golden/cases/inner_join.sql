-- name: one changed input is one term
-- changed: orders
SELECT o.id, c.name FROM (shop.orders o JOIN shop.customers c ON ((c.id = o.customer_id)))
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
    "id_3",
    "name_4",
    1 * "input_1"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4"
    FROM ONLY "shop"."customers"
  ) AS "input_2"
  WHERE
    (
      "id_3" = "customer_id_2"
    )
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
        FROM "changes_1"
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

-- name: two changed inputs are three signed terms
-- changed: orders, customers
SELECT o.id, c.name FROM (shop.orders o JOIN shop.customers c ON ((c.id = o.customer_id)))
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
      "id_3" = "customer_id_2"
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
      "id_3" = "customer_id_2"
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
      "id_3" = "customer_id_2"
    )
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
        FROM "changes_1"
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

-- name: four changed inputs are telescoped
-- changed: orders
SELECT a.id, b.id AS b, c.id AS c, d.id AS d FROM shop.orders a, shop.orders b, shop.orders c, shop.orders d WHERE ((a.id = b.customer_id) AND (b.id = c.customer_id) AND (c.id = d.customer_id))
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
    "id_2",
    "customer_id_3",
    "id_4",
    "customer_id_5",
    "id_6",
    "customer_id_7",
    1 * "input_1"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_1", (
    SELECT
      "id" AS "id_2",
      "customer_id" AS "customer_id_3"
    FROM ONLY "shop"."orders"
  ) AS "input_2", (
    SELECT
      "id" AS "id_4",
      "customer_id" AS "customer_id_5"
    FROM ONLY "shop"."orders"
  ) AS "input_3", (
    SELECT
      "id" AS "id_6",
      "customer_id" AS "customer_id_7"
    FROM ONLY "shop"."orders"
  ) AS "input_4"
  UNION ALL
  SELECT
    "id_1",
    "id_2",
    "customer_id_3",
    "id_4",
    "customer_id_5",
    "id_6",
    "customer_id_7",
    (
      1 * "input_1"."__pgt_weight"
    ) * "input_2"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_1",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_1", (
    SELECT
      "id" AS "id_2",
      "customer_id" AS "customer_id_3",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_2", (
    SELECT
      "id" AS "id_4",
      "customer_id" AS "customer_id_5"
    FROM ONLY "shop"."orders"
  ) AS "input_3", (
    SELECT
      "id" AS "id_6",
      "customer_id" AS "customer_id_7"
    FROM ONLY "shop"."orders"
  ) AS "input_4"
  UNION ALL
  SELECT
    "id_1",
    "id_2",
    "customer_id_3",
    "id_4",
    "customer_id_5",
    "id_6",
    "customer_id_7",
    (
      (
        1 * "input_1"."__pgt_weight"
      ) * "input_2"."__pgt_weight"
    ) * "input_3"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_1",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_1", (
    SELECT
      "id_2",
      "customer_id_3",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_2",
        "customer_id" AS "customer_id_3"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_2",
      "customer_id_3",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_2",
        "customer_id" AS "customer_id_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_2", (
    SELECT
      "id" AS "id_4",
      "customer_id" AS "customer_id_5",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_3", (
    SELECT
      "id" AS "id_6",
      "customer_id" AS "customer_id_7"
    FROM ONLY "shop"."orders"
  ) AS "input_4"
  UNION ALL
  SELECT
    "id_1",
    "id_2",
    "customer_id_3",
    "id_4",
    "customer_id_5",
    "id_6",
    "customer_id_7",
    (
      (
        (
          1 * "input_1"."__pgt_weight"
        ) * "input_2"."__pgt_weight"
      ) * "input_3"."__pgt_weight"
    ) * "input_4"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_1",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_1", (
    SELECT
      "id_2",
      "customer_id_3",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_2",
        "customer_id" AS "customer_id_3"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_2",
      "customer_id_3",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_2",
        "customer_id" AS "customer_id_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_2", (
    SELECT
      "id_4",
      "customer_id_5",
      1 AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_4",
        "customer_id" AS "customer_id_5"
      FROM ONLY "shop"."orders"
    ) AS "rows"
    UNION ALL
    SELECT
      "id_4",
      "customer_id_5",
      -"__pgt_weight" AS "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_4",
        "customer_id" AS "customer_id_5",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "changes"
  ) AS "input_3", (
    SELECT
      "id" AS "id_6",
      "customer_id" AS "customer_id_7",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_4"
), "changes_2" AS (
  SELECT
    "id_1",
    "id_2",
    "customer_id_3",
    "id_4",
    "customer_id_5",
    "id_6",
    "customer_id_7",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      "id_2",
      "customer_id_3",
      "id_4",
      "customer_id_5",
      "id_6",
      "customer_id_7",
      "__pgt_weight"
    FROM "changes_1"
  ) AS "changes"
  WHERE
    (
      (
        "id_1" = "customer_id_3"
      )
      AND (
        "id_2" = "customer_id_5"
      )
      AND (
        "id_4" = "customer_id_7"
      )
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("d")
    "id",
    "b",
    "c",
    "d",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "b" AS "b",
      "c" AS "c",
      "d" AS "d",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        "id_2" AS "b",
        "id_4" AS "c",
        "id_6" AS "d",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "id_2",
          "customer_id_3",
          "id_4",
          "customer_id_5",
          "id_6",
          "customer_id_7",
          "__pgt_weight"
        FROM "changes_2"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "b",
      "c",
      "d"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "d",
    "__pgt_weight" DESC
) AS "d"
ON (
  "t"."d" = "d"."d"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "id" = "d"."id",
  "b" = "d"."b",
  "c" = "d"."c"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "b", "c", "d") VALUES ("d"."id", "d"."b", "d"."c", "d"."d")

-- name: an outer join is not taken for an inner one
-- changed: orders
SELECT o.id, c.name FROM (shop.orders o LEFT JOIN shop.customers c ON ((c.id = o.customer_id)))
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
    "id_3",
    "name_4",
    1 * "input_1"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "input_1", (
    SELECT
      "id" AS "id_3",
      "name" AS "name_4"
    FROM ONLY "shop"."customers"
  ) AS "input_2"
  WHERE
    (
      "id_3" = "customer_id_2"
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
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
    WHERE
      (
        NOT EXISTS(
          SELECT
            1
          FROM (
            SELECT
              "id" AS "id_3",
              "name" AS "name_4"
            FROM ONLY "shop"."customers"
          ) AS "others"
          WHERE
            (
              "id_3" = "customer_id_2"
            )
        )
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
        FROM "changes_1"
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
