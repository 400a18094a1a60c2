-- name: HAVING reads a stage
-- changed: orders
SELECT region FROM shop.orders GROUP BY region HAVING (count(*) > 1)
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
MERGE INTO "pgtrickle_state"."stage_1_1" AS "t"
USING "groups" AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."region_2_3"), 0) = HASH_RECORD_EXTENDED(ROW("d"."region_2_3"), 0)
)
AND (
  "t"."region_2_3" IS NOT DISTINCT FROM "d"."region_2_3"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "count_4" = CAST((
    "t"."__pgt_count" + "d"."__pgt_count"
  ) AS BIGINT),
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("region_2_3", "count_4", "__pgt_count") VALUES ("d"."region_2_3", CAST("d"."__pgt_count" AS BIGINT), "d"."__pgt_count")
;
WITH "delta_1" AS (
  SELECT
    "region_2_3" AS "region_2_3",
    "count_4" AS "count_4",
    CASE WHEN "action" = 'I' THEN 1 ELSE (
      -1
    ) END AS "__pgt_weight"
  FROM "pgtrickle_changes"."stage_1_1"
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
    "region_2_3",
    "count_4",
    "__pgt_weight"
  FROM (
    SELECT
      "region_2_3" AS "region_2_3",
      "count_4" AS "count_4",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
  WHERE
    (
      "count_4" > 1
    )
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("region")
    "region",
    "__pgt_weight"
  FROM (
    SELECT
      "region" AS "region",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "region_2_3" AS "region",
        "__pgt_weight"
      FROM (
        SELECT
          "region_2_3",
          "count_4",
          "__pgt_weight"
        FROM "changes_1"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "region"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "region",
    "__pgt_weight" DESC
) AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."region"), 0) = HASH_RECORD_EXTENDED(ROW("d"."region"), 0)
)
AND (
  "t"."region" IS NOT DISTINCT FROM "d"."region"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("region") VALUES ("d"."region")

-- name: a correlated count is a stage and a left join
-- changed: orders
SELECT customers.id, ( SELECT count(*) AS count FROM shop.orders WHERE (orders.customer_id = customers.id)) AS n FROM shop.customers
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
    "link_4",
    SUM("__pgt_weight") AS "__pgt_count"
  FROM (
    SELECT
      "customer_id_3" AS "link_4",
      "__pgt_weight"
    FROM (
      SELECT
        "id" AS "id_2",
        "customer_id" AS "customer_id_3",
        "__pgt_weight"
      FROM "delta_1"
    ) AS "rows"
  ) AS "inputs"
  GROUP BY
    "link_4"
  HAVING
    (
      SUM("__pgt_weight") <> 0
    )
)
MERGE INTO "pgtrickle_state"."stage_1_1" AS "t"
USING "groups" AS "d"
ON (
  "t"."link_4" = "d"."link_4"
)
WHEN MATCHED AND (
  "t"."__pgt_count" + "d"."__pgt_count"
) = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "count_5" = CAST((
    "t"."__pgt_count" + "d"."__pgt_count"
  ) AS BIGINT),
  "__pgt_count" = "t"."__pgt_count" + "d"."__pgt_count"
WHEN NOT MATCHED AND "d"."__pgt_count" <> 0 THEN INSERT ("link_4", "count_5", "__pgt_count") VALUES ("d"."link_4", CAST("d"."__pgt_count" AS BIGINT), "d"."__pgt_count")
;
WITH "delta_1" AS (
  SELECT
    "link_4" AS "link_4",
    "count_5" AS "count_5",
    CASE WHEN "action" = 'I' THEN 1 ELSE (
      -1
    ) END AS "__pgt_weight"
  FROM "pgtrickle_changes"."stage_1_1"
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
    "link_4" AS "link_4_6",
    "count_5" AS "count_7",
    "__pgt_weight"
  FROM (
    SELECT
      "link_4" AS "link_4",
      "count_5" AS "count_5",
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
              "link_4_6",
              "count_7",
              "__pgt_weight"
            FROM "changes_1"
          ) AS "moved"
          WHERE
            (
              "link_4_6" = (
                "id_1"
              )
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
        "link_4" AS "link_4_6",
        "count_5" AS "count_7"
      FROM (
        SELECT
          "link_4" AS "link_4",
          "count_5" AS "count_5"
        FROM ONLY "pgtrickle_state"."stage_1_1"
      ) AS "rows"
    ) AS "others"
    WHERE
      (
        "link_4_6" = (
          "id_1"
        )
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
        "link_4_6",
        "count_7",
        "__pgt_weight"
      FROM "changes_1"
    ) AS "others"
    WHERE
      (
        "link_4_6" = (
          "id_1"
        )
      )
    GROUP BY
      "__pgt_row"
  ) AS "moved"
    ON "moved"."__pgt_row" = "touched"."__pgt_row"
), "changes_4" AS (
  SELECT
    "id_1",
    "link_4_6",
    "count_7",
    1 * "input_2"."__pgt_weight" AS "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1"
    FROM ONLY "shop"."customers"
  ) AS "input_1", (
    SELECT
      "link_4_6",
      "count_7",
      "__pgt_weight"
    FROM "changes_1"
  ) AS "input_2"
  WHERE
    (
      "link_4_6" = (
        "id_1"
      )
    )
  UNION ALL
  SELECT
    "id_1",
    "link_4_6",
    "count_7",
    "__pgt_weight"
  FROM (
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
  ) AS "rows"
  LEFT JOIN (
    SELECT
      "link_4_6",
      "count_7"
    FROM (
      SELECT
        "link_4" AS "link_4_6",
        "count_5" AS "count_7"
      FROM (
        SELECT
          "link_4" AS "link_4",
          "count_5" AS "count_5"
        FROM ONLY "pgtrickle_state"."stage_1_1"
      ) AS "rows"
    ) AS "others"
    WHERE
      FALSE
  ) AS "nothing"
    ON TRUE
), "changes_5" AS (
  SELECT
    "id_1" AS "id_1",
    "link_4_6" AS "link_4_6",
    "count_7" AS "count_7",
    CASE WHEN "link_4_6" IS NOT DISTINCT FROM NULL THEN 0 ELSE "count_7" END AS "value_8",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1",
      "link_4_6",
      "count_7",
      "__pgt_weight"
    FROM "changes_4"
  ) AS "changes"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "n",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "n" AS "n",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        "value_8" AS "n",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "link_4_6",
          "count_7",
          "value_8",
          "__pgt_weight"
        FROM "changes_5"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "n"
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
  "n" = "d"."n"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "n") VALUES ("d"."id", "d"."n")
