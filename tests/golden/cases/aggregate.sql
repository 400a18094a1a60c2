-- name: sums and counts are added
-- changed: orders
SELECT customer_id, sum(amount) AS total, count(*) AS orders, avg(amount) AS mean FROM shop.orders GROUP BY customer_id
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
), "groups" AS (
  SELECT
    "customer_id_2_4",
    SUM("__pgt_weight") AS "__pgt_count",
    CAST(COALESCE(
      SUM(
        CASE WHEN "argument_6" <> CAST('NaN' AS DECIMAL) THEN "argument_6" ELSE 0 END * "__pgt_weight"
      ),
      0
    ) AS DECIMAL) AS "__pgt_acc_1",
    SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) AS "__pgt_acc_2",
    SUM(CASE WHEN "argument_6" = CAST('NaN' AS DECIMAL) THEN "__pgt_weight" ELSE 0 END) AS "__pgt_acc_3"
  FROM (
    SELECT
      "customer_id_2" AS "customer_id_2_4",
      "amount_3" AS "argument_6",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "amount" AS "amount_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
    OR (
      CAST(COALESCE(
        SUM(
          CASE WHEN "argument_6" <> CAST('NaN' AS DECIMAL) THEN "argument_6" ELSE 0 END * "__pgt_weight"
        ),
        0
      ) AS DECIMAL) <> 0
    )
    OR (
      SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) <> 0
    )
    OR (
      SUM(CASE WHEN "argument_6" = CAST('NaN' AS DECIMAL) THEN "__pgt_weight" ELSE 0 END) <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON (
  "t"."customer_id" = "d"."customer_id_2_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "total" = CASE
    WHEN (
      "t"."__pgt_acc_2" + "d"."__pgt_acc_2"
    ) = 0
    THEN NULL
    WHEN (
      "t"."__pgt_acc_3" + "d"."__pgt_acc_3"
    ) > 0
    THEN CAST('NaN' AS DECIMAL)
    ELSE "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
  END,
  "orders" = CAST((
    "t"."__pgt_count" + "d"."__pgt_count"
  ) AS BIGINT),
  "mean" = CASE
    WHEN (
      "t"."__pgt_acc_2" + "d"."__pgt_acc_2"
    ) = 0
    THEN NULL
    WHEN (
      "t"."__pgt_acc_3" + "d"."__pgt_acc_3"
    ) > 0
    THEN CAST('NaN' AS DECIMAL)
    ELSE CAST((
      "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
    ) AS DECIMAL) / CAST((
      NULLIF("t"."__pgt_acc_2" + "d"."__pgt_acc_2", 0)
    ) AS DECIMAL)
  END,
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count",
  "__pgt_acc_1" = "t"."__pgt_acc_1" + "d"."__pgt_acc_1",
  "__pgt_acc_2" = "t"."__pgt_acc_2" + "d"."__pgt_acc_2",
  "__pgt_acc_3" = "t"."__pgt_acc_3" + "d"."__pgt_acc_3"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT (
  "customer_id",
  "total",
  "orders",
  "mean",
  "__pgt_count",
  "__pgt_acc_1",
  "__pgt_acc_2",
  "__pgt_acc_3"
) VALUES (
  "d"."customer_id_2_4",
  CASE
    WHEN "d"."__pgt_acc_2" = 0
    THEN NULL
    WHEN "d"."__pgt_acc_3" > 0
    THEN CAST('NaN' AS DECIMAL)
    ELSE "d"."__pgt_acc_1"
  END,
  CAST("d"."__pgt_count" AS BIGINT),
  CASE
    WHEN "d"."__pgt_acc_2" = 0
    THEN NULL
    WHEN "d"."__pgt_acc_3" > 0
    THEN CAST('NaN' AS DECIMAL)
    ELSE CAST("d"."__pgt_acc_1" AS DECIMAL) / CAST((
      NULLIF("d"."__pgt_acc_2", 0)
    ) AS DECIMAL)
  END,
  "d"."__pgt_count",
  "d"."__pgt_acc_1",
  "d"."__pgt_acc_2",
  "d"."__pgt_acc_3"
)

-- name: a nullable group matches by hash and recheck
-- changed: orders
SELECT region, count(*) AS orders FROM shop.orders GROUP BY region
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
), "groups" AS (
  SELECT
    "region_2_3",
    SUM("__pgt_weight") AS "__pgt_count"
  FROM (
    SELECT
      "region_2" AS "region_2_3",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "region" AS "region_2",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "region_2_3"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."region"), 0) = HASH_RECORD_EXTENDED(ROW("d"."region_2_3"), 0)
)
AND (
  "t"."region" IS NOT DISTINCT FROM "d"."region_2_3"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "orders" = CAST((
    "t"."__pgt_count" + "d"."__pgt_count"
  ) AS BIGINT),
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("region", "orders", "__pgt_count") VALUES ("d"."region_2_3", CAST("d"."__pgt_count" AS BIGINT), "d"."__pgt_count")

-- name: a key that is not selected is stored hidden
-- changed: orders
SELECT count(amount) AS orders FROM shop.orders GROUP BY customer_id
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
), "groups" AS (
  SELECT
    "customer_id_2_4",
    SUM("__pgt_weight") AS "__pgt_count",
    SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) AS "__pgt_acc_1"
  FROM (
    SELECT
      "customer_id_2" AS "customer_id_2_4",
      CASE WHEN "amount_3" IS DISTINCT FROM NULL THEN 1 END AS "argument_6",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "amount" AS "amount_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
    OR (
      SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON (
  "t"."__pgt_key_1" = "d"."customer_id_2_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "orders" = CAST((
    "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
  ) AS BIGINT),
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count",
  "__pgt_acc_1" = "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("orders", "__pgt_key_1", "__pgt_count", "__pgt_acc_1") VALUES (
  CAST("d"."__pgt_acc_1" AS BIGINT),
  "d"."customer_id_2_4",
  "d"."__pgt_count",
  "d"."__pgt_acc_1"
)

-- name: a lost extremum is read again
-- changed: orders
SELECT customer_id, max(amount) AS largest FROM shop.orders GROUP BY customer_id
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
), "changed" AS (
  SELECT
    "customer_id_2_4",
    "argument_6",
    CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
  FROM (
    SELECT
      "customer_id_2" AS "customer_id_2_4",
      "amount_3" AS "argument_6",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "amount" AS "amount_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4",
    "argument_6"
  HAVING
    SUM("__pgt_weight") <> 0
), "groups" AS (
  SELECT
    "customer_id_2_4",
    SUM("__pgt_weight") AS "__pgt_count",
    MAX("argument_6") FILTER(WHERE
      "__pgt_weight" > 0) AS "__pgt_acc_1came",
    MAX("argument_6") FILTER(WHERE
      "__pgt_weight" < 0) AS "__pgt_acc_1went"
  FROM (
    SELECT
      "customer_id_2_4",
      "argument_6",
      "__pgt_weight"
    FROM "changed"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
), "stale" AS (
  SELECT
    "d"."customer_id_2_4"
  FROM "groups" AS "d"
  JOIN "pgtrickle_state"."shop.result" AS "t"
    ON (
      "t"."customer_id" = "d"."customer_id_2_4"
    )
  WHERE
    (
      (
        COALESCE("t"."__pgt_count", 0) + "d"."__pgt_count"
      ) <> 0
    )
    AND (
      (
        "d"."__pgt_acc_1went" >= "t"."__pgt_acc_1"
      )
      AND (
        (
          "d"."__pgt_acc_1came" IS NULL
        )
        OR (
          "d"."__pgt_acc_1came" < "t"."__pgt_acc_1"
        )
      )
    )
), "fresh" AS (
  SELECT
    "customer_id_2_4",
    COUNT(*) AS "__pgt_count",
    MAX("argument_6") AS "__pgt_acc_1"
  FROM (
    SELECT
      "customer_id_2_4",
      "argument_6"
    FROM (
      SELECT
        "customer_id_2" AS "customer_id_2_4",
        "amount_3" AS "argument_6"
      FROM (
        SELECT
          "id" AS "id_1",
          "customer_id" AS "customer_id_2",
          "amount" AS "amount_3"
        FROM ONLY "shop"."orders"
      ) AS "rows"
    ) AS "rows"
    WHERE
      (
        EXISTS(
          SELECT
            1
          FROM (
            SELECT
              "customer_id_2_4" AS "__pgt_k0"
            FROM "stale"
          ) AS "k"
          WHERE
            (
              "customer_id_2_4" = "k"."__pgt_k0"
            )
        )
      )
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT
    groups.*,
    "fresh"."__pgt_count" AS "__pgt_count__pgt_fresh",
    "fresh"."__pgt_acc_1" AS "__pgt_acc_1__pgt_fresh"
  FROM "groups"
  LEFT JOIN "fresh"
    ON (
      "groups"."customer_id_2_4" = "fresh"."customer_id_2_4"
    )
) AS "d"
ON (
  "t"."customer_id" = "d"."customer_id_2_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "largest" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE GREATEST("t"."__pgt_acc_1", "d"."__pgt_acc_1came")
  END,
  "__pgt_count" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_count__pgt_fresh"
    ELSE "t"."__pgt_count" + "d"."__pgt_count"
  END,
  "__pgt_acc_1" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE GREATEST("t"."__pgt_acc_1", "d"."__pgt_acc_1came")
  END
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("customer_id", "largest", "__pgt_count", "__pgt_acc_1") VALUES (
  "d"."customer_id_2_4",
  CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE "d"."__pgt_acc_1came"
  END,
  CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_count__pgt_fresh"
    ELSE "d"."__pgt_count"
  END,
  CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE "d"."__pgt_acc_1came"
  END
)

-- name: sums of floats are read again in a fixed order
-- changed: orders
SELECT customer_id, sum(weight) AS weight FROM shop.orders GROUP BY customer_id
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
), "groups" AS (
  SELECT
    "customer_id_2_4",
    SUM("__pgt_weight") AS "__pgt_count"
  FROM (
    SELECT
      "customer_id_2" AS "customer_id_2_4",
      "weight_3" AS "argument_6",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "weight" AS "weight_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
), "stale" AS (
  SELECT
    "d"."customer_id_2_4"
  FROM "groups" AS "d"
  LEFT JOIN "pgtrickle_state"."shop.result" AS "t"
    ON (
      "t"."customer_id" = "d"."customer_id_2_4"
    )
  WHERE
    (
      (
        COALESCE("t"."__pgt_count", 0) + "d"."__pgt_count"
      ) <> 0
    )
), "fresh" AS (
  SELECT
    "customer_id_2_4",
    COUNT(*) AS "__pgt_count",
    SUM("argument_6" ORDER BY "argument_6") AS "__pgt_acc_1"
  FROM (
    SELECT
      "customer_id_2_4",
      "argument_6"
    FROM (
      SELECT
        "customer_id_2" AS "customer_id_2_4",
        "weight_3" AS "argument_6"
      FROM (
        SELECT
          "id" AS "id_1",
          "customer_id" AS "customer_id_2",
          "weight" AS "weight_3"
        FROM ONLY "shop"."orders"
      ) AS "rows"
    ) AS "rows"
    WHERE
      (
        EXISTS(
          SELECT
            1
          FROM (
            SELECT
              "customer_id_2_4" AS "__pgt_k0"
            FROM "stale"
          ) AS "k"
          WHERE
            (
              "customer_id_2_4" = "k"."__pgt_k0"
            )
        )
      )
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT
    groups.*,
    "fresh"."__pgt_count" AS "__pgt_count__pgt_fresh",
    "fresh"."__pgt_acc_1" AS "__pgt_acc_1__pgt_fresh"
  FROM "groups"
  LEFT JOIN "fresh"
    ON (
      "groups"."customer_id_2_4" = "fresh"."customer_id_2_4"
    )
) AS "d"
ON (
  "t"."customer_id" = "d"."customer_id_2_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "weight" = "d"."__pgt_acc_1__pgt_fresh",
  "__pgt_count" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_count__pgt_fresh"
    ELSE "t"."__pgt_count" + "d"."__pgt_count"
  END,
  "__pgt_acc_1" = "d"."__pgt_acc_1__pgt_fresh"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("customer_id", "weight", "__pgt_count", "__pgt_acc_1") VALUES (
  "d"."customer_id_2_4",
  "d"."__pgt_acc_1__pgt_fresh",
  CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_count__pgt_fresh"
    ELSE "d"."__pgt_count"
  END,
  "d"."__pgt_acc_1__pgt_fresh"
)

-- name: FILTER becomes CASE
-- changed: orders
SELECT customer_id, count(*) FILTER (WHERE (amount > (10)::numeric)) AS large FROM shop.orders GROUP BY customer_id
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
), "groups" AS (
  SELECT
    "customer_id_2_4",
    SUM("__pgt_weight") AS "__pgt_count",
    SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) AS "__pgt_acc_1"
  FROM (
    SELECT
      "customer_id_2" AS "customer_id_2_4",
      CASE
        WHEN CASE WHEN (
          "amount_3" > CAST((
            10
          ) AS DECIMAL)
        ) THEN 1 END IS DISTINCT FROM NULL
        THEN 1
      END AS "argument_6",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        "amount" AS "amount_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "customer_id_2_4"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
    OR (
      SUM(CASE WHEN "argument_6" IS NULL THEN 0 ELSE "__pgt_weight" END) <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON (
  "t"."customer_id" = "d"."customer_id_2_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "large" = CAST((
    "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
  ) AS BIGINT),
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count",
  "__pgt_acc_1" = "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("customer_id", "large", "__pgt_count", "__pgt_acc_1") VALUES (
  "d"."customer_id_2_4",
  CAST("d"."__pgt_acc_1" AS BIGINT),
  "d"."__pgt_count",
  "d"."__pgt_acc_1"
)

-- name: without GROUP BY there is one row, which never goes
-- changed: orders
SELECT count(*) AS orders, sum(id) AS ids FROM shop.orders
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
), "groups" AS (
  SELECT
    SUM("__pgt_weight") AS "__pgt_count",
    CAST(COALESCE(SUM(CAST("argument_4" AS BIGINT) * "__pgt_weight"), 0) AS BIGINT) AS "__pgt_acc_1",
    SUM(CASE WHEN "argument_4" IS NULL THEN 0 ELSE "__pgt_weight" END) AS "__pgt_acc_2"
  FROM (
    SELECT
      "id_1" AS "argument_4",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
    OR (
      CAST(COALESCE(SUM(CAST("argument_4" AS BIGINT) * "__pgt_weight"), 0) AS BIGINT) <> 0
    )
    OR (
      SUM(CASE WHEN "argument_4" IS NULL THEN 0 ELSE "__pgt_weight" END) <> 0
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING "groups" AS "d"
ON TRUE
WHEN MATCHED THEN UPDATE SET
  "orders" = CAST((
    "t"."__pgt_count" + "d"."__pgt_count"
  ) AS BIGINT),
  "ids" = CASE
    WHEN (
      "t"."__pgt_acc_2" + "d"."__pgt_acc_2"
    ) = 0
    THEN NULL
    ELSE "t"."__pgt_acc_1" + "d"."__pgt_acc_1"
  END,
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count",
  "__pgt_acc_1" = "t"."__pgt_acc_1" + "d"."__pgt_acc_1",
  "__pgt_acc_2" = "t"."__pgt_acc_2" + "d"."__pgt_acc_2"

-- name: without GROUP BY an extremum may become NULL again
-- changed: orders
SELECT max(amount) AS largest FROM shop.orders
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
), "changed" AS (
  SELECT
    "argument_4",
    CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
  FROM (
    SELECT
      "amount_2" AS "argument_4",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_1",
        "amount" AS "amount_2",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "argument_4"
  HAVING
    SUM("__pgt_weight") <> 0
), "groups" AS (
  SELECT
    SUM("__pgt_weight") AS "__pgt_count",
    MAX("argument_4") FILTER(WHERE
      "__pgt_weight" > 0) AS "__pgt_acc_1came",
    MAX("argument_4") FILTER(WHERE
      "__pgt_weight" < 0) AS "__pgt_acc_1went"
  FROM (
    SELECT
      "argument_4",
      "__pgt_weight"
    FROM "changed"
  ) AS "inputs"
  HAVING
    COUNT(*) > 0
), "stale" AS (
  SELECT
  FROM "groups" AS "d"
  JOIN "pgtrickle_state"."shop.result" AS "t"
    ON TRUE
  WHERE
    TRUE
    AND (
      (
        "d"."__pgt_acc_1went" >= "t"."__pgt_acc_1"
      )
      AND (
        (
          "d"."__pgt_acc_1came" IS NULL
        )
        OR (
          "d"."__pgt_acc_1came" < "t"."__pgt_acc_1"
        )
      )
    )
), "fresh" AS (
  SELECT
    COUNT(*) AS "__pgt_count",
    MAX("argument_4") AS "__pgt_acc_1"
  FROM (
    SELECT
      "argument_4"
    FROM (
      SELECT
        "amount_2" AS "argument_4"
      FROM (
        SELECT
          "id" AS "id_1",
          "amount" AS "amount_2"
        FROM ONLY "shop"."orders"
      ) AS "rows"
    ) AS "rows"
    WHERE
      (
        EXISTS(
          SELECT
            1
          FROM (
            SELECT
              1
            FROM "stale"
          ) AS "k"
        )
      )
  ) AS "inputs"
  HAVING
    EXISTS(
      SELECT
        1
      FROM "stale"
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT
    groups.*,
    "fresh"."__pgt_count" AS "__pgt_count__pgt_fresh",
    "fresh"."__pgt_acc_1" AS "__pgt_acc_1__pgt_fresh"
  FROM "groups"
  LEFT JOIN "fresh"
    ON TRUE
) AS "d"
ON TRUE
WHEN MATCHED THEN UPDATE SET
  "largest" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE GREATEST("t"."__pgt_acc_1", "d"."__pgt_acc_1came")
  END,
  "__pgt_count" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_count__pgt_fresh"
    ELSE "t"."__pgt_count" + "d"."__pgt_count"
  END,
  "__pgt_acc_1" = CASE
    WHEN "d"."__pgt_count__pgt_fresh" IS NOT NULL
    THEN "d"."__pgt_acc_1__pgt_fresh"
    ELSE GREATEST("t"."__pgt_acc_1", "d"."__pgt_acc_1came")
  END
