-- name: rows that are only added add theirs, else all is computed again
-- changed: orders
WITH RECURSIVE r AS (SELECT orders.id, orders.customer_id FROM shop.orders UNION SELECT r_1.id, orders.customer_id FROM (shop.orders JOIN r r_1 ON ((r_1.customer_id = orders.id)))) SELECT r.id, r.customer_id FROM r
---
MERGE INTO "pgtrickle_state"."stage_1_1" AS "t"
USING (
  SELECT DISTINCT ON ("id_1", "customer_id_2")
    "id_1",
    "customer_id_2",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1" AS "id_1",
      "customer_id_2" AS "customer_id_2",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      WITH RECURSIVE "own_rows" AS (
        SELECT
          "id_1",
          "customer_id_2"
        FROM "pgtrickle_state"."stage_1_1"
      ), "delta_1" AS (
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
          "id_7",
          "customer_id_8",
          "id_1_9",
          "customer_id_2_10",
          1 * "input_1"."__pgt_weight" AS "__pgt_weight"
        FROM (
          SELECT
            "id" AS "id_7",
            "customer_id" AS "customer_id_8",
            "__pgt_weight"
          FROM "delta_1"
        ) AS "input_1", (
          SELECT
            "id_1" AS "id_1_9",
            "customer_id_2" AS "customer_id_2_10"
          FROM (
            SELECT
              "id_1" AS "id_1",
              "customer_id_2" AS "customer_id_2"
            FROM "own_rows"
          ) AS "rows"
        ) AS "input_2"
        WHERE
          (
            "customer_id_2_10" = "id_7"
          )
      ), "only_added" AS (
        SELECT
          NOT (
            (
              EXISTS(
                SELECT
                  1
                FROM "delta_1"
                GROUP BY
                  CAST(ROW("id", "customer_id") AS TEXT)
                HAVING
                  SUM("__pgt_weight") < 0
              )
            )
          ) AS "only_added"
      ), "new_rows" AS (
        SELECT
          CAST("seed"."id_1" AS INT) AS "id",
          CAST("seed"."customer_id_2" AS INT) AS "customer_id"
        FROM (
          SELECT
            "id_1",
            "customer_id_2",
            SUM("__pgt_weight") AS "__pgt_weight"
          FROM (
            SELECT
              "id_5" AS "id_1",
              "customer_id_6" AS "customer_id_2",
              "__pgt_weight"
            FROM (
              SELECT
                "id_3" AS "id_5",
                "customer_id_4" AS "customer_id_6",
                "__pgt_weight"
              FROM (
                SELECT
                  "id" AS "id_3",
                  "customer_id" AS "customer_id_4",
                  "__pgt_weight"
                FROM "delta_1"
              ) AS "changes"
            ) AS "side"
            UNION ALL
            SELECT
              "id_11" AS "id_1",
              "customer_id_12" AS "customer_id_2",
              "__pgt_weight"
            FROM (
              SELECT
                "id_1_9" AS "id_11",
                "customer_id_8" AS "customer_id_12",
                "__pgt_weight"
              FROM (
                SELECT
                  "id_7",
                  "customer_id_8",
                  "id_1_9",
                  "customer_id_2_10",
                  "__pgt_weight"
                FROM "changes_1"
              ) AS "changes"
            ) AS "side"
          ) AS "seeds"
          GROUP BY
            "id_1",
            "customer_id_2"
          HAVING
            SUM("__pgt_weight") > 0
        ) AS "seed"
        WHERE
          (
            (
              SELECT
                "only_added"
              FROM "only_added"
            )
          )
          AND (
            NOT EXISTS(
              SELECT
                1
              FROM "pgtrickle_state"."stage_1_1" AS "own"
              WHERE
                (
                  (
                    HASH_RECORD_EXTENDED(ROW("own"."id_1", "own"."customer_id_2"), 0) = HASH_RECORD_EXTENDED(ROW("seed"."id_1", "seed"."customer_id_2"), 0)
                  )
                  AND (
                    "own"."id_1" IS NOT DISTINCT FROM "seed"."id_1"
                  )
                  AND (
                    "own"."customer_id_2" IS NOT DISTINCT FROM "seed"."customer_id_2"
                  )
                )
            )
          )
        UNION
        SELECT
          CAST("step"."id_1" AS INT) AS "id",
          CAST("step"."customer_id_2" AS INT) AS "customer_id"
        FROM (
          SELECT
            r_1.id,
            orders.customer_id
          FROM (
            ONLY "shop"."orders" AS "orders"
              JOIN "new_rows" AS r_1
                ON (
                  (
                    r_1.customer_id = orders.id
                  )
                )
          )
        ) AS "step"("id_1", "customer_id_2")
        WHERE
          (
            NOT EXISTS(
              SELECT
                1
              FROM "pgtrickle_state"."stage_1_1" AS "own"
              WHERE
                (
                  (
                    HASH_RECORD_EXTENDED(ROW("own"."id_1", "own"."customer_id_2"), 0) = HASH_RECORD_EXTENDED(ROW("step"."id_1", "step"."customer_id_2"), 0)
                  )
                  AND (
                    "own"."id_1" IS NOT DISTINCT FROM "step"."id_1"
                  )
                  AND (
                    "own"."customer_id_2" IS NOT DISTINCT FROM "step"."customer_id_2"
                  )
                )
            )
          )
      )
      SELECT
        "id" AS "id_1",
        "customer_id" AS "customer_id_2",
        1 AS "__pgt_weight"
      FROM "new_rows"
      UNION ALL
      SELECT
        "id_1",
        "customer_id_2",
        1 AS "__pgt_weight"
      FROM (
        SELECT
          "id_1",
          "customer_id_2"
        FROM (
          SELECT
            "id_1" AS "id_1",
            "customer_id_2" AS "customer_id_2"
          FROM (
            WITH RECURSIVE r AS (
              SELECT
                orders.id,
                orders.customer_id
              FROM ONLY "shop"."orders" AS "orders"
              UNION
              SELECT
                r_1.id,
                orders.customer_id
              FROM (
                ONLY "shop"."orders" AS "orders"
                  JOIN r AS r_1
                    ON (
                      (
                        r_1.customer_id = orders.id
                      )
                    )
              )
            )
            SELECT
              "id" AS "id_1",
              "customer_id" AS "customer_id_2"
            FROM "r"
          ) AS "rows"
        ) AS "contents"
      ) AS "wanted"
      WHERE
        (
          NOT (
            SELECT
              "only_added"
            FROM "only_added"
          )
        )
      UNION ALL
      SELECT
        "id_1",
        "customer_id_2",
        (
          -1
        ) AS "__pgt_weight"
      FROM "pgtrickle_state"."stage_1_1"
      WHERE
        (
          NOT (
            SELECT
              "only_added"
            FROM "only_added"
          )
        )
    ) AS "changes"
    GROUP BY
      "id_1",
      "customer_id_2"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "id_1",
    "customer_id_2",
    "__pgt_weight" DESC
) AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."id_1", "t"."customer_id_2"), 0) = HASH_RECORD_EXTENDED(ROW("d"."id_1", "d"."customer_id_2"), 0)
)
AND (
  "t"."id_1" IS NOT DISTINCT FROM "d"."id_1"
)
AND (
  "t"."customer_id_2" IS NOT DISTINCT FROM "d"."customer_id_2"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id_1", "customer_id_2") VALUES ("d"."id_1", "d"."customer_id_2")
;
WITH "delta_1" AS (
  SELECT
    "id_1" AS "id_1",
    "customer_id_2" AS "customer_id_2",
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
    "id_1" AS "id_1_13",
    "customer_id_2" AS "customer_id_2_14",
    "__pgt_weight"
  FROM (
    SELECT
      "id_1" AS "id_1",
      "customer_id_2" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id", "customer_id")
    "id",
    "customer_id",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "customer_id" AS "customer_id",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1_13" AS "id",
        "customer_id_2_14" AS "customer_id",
        "__pgt_weight"
      FROM (
        SELECT
          "id_1_13",
          "customer_id_2_14",
          "__pgt_weight"
        FROM "changes_1"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "customer_id"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "id",
    "customer_id",
    "__pgt_weight" DESC
) AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."id", "t"."customer_id"), 0) = HASH_RECORD_EXTENDED(ROW("d"."id", "d"."customer_id"), 0)
)
AND (
  "t"."id" IS NOT DISTINCT FROM "d"."id"
)
AND (
  "t"."customer_id" IS NOT DISTINCT FROM "d"."customer_id"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "customer_id") VALUES ("d"."id", "d"."customer_id")
