-- name: partitions with a change are computed again
-- changed: orders
SELECT id, rank() OVER (PARTITION BY region ORDER BY amount) AS r FROM shop.orders
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
), "keys_1" AS (
  SELECT DISTINCT
    "region_2" AS "partition_5"
  FROM (
    SELECT
      "id" AS "id_1",
      "region" AS "region_2",
      "amount" AS "amount_3",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "r",
    "__pgt_partition_1",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "r" AS "r",
      "__pgt_partition_1" AS "__pgt_partition_1",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id",
        "r",
        "__pgt_partition_1",
        1 AS "__pgt_weight"
      FROM (
        SELECT
          "id_1" AS "id",
          "window_4" AS "r",
          "partition_5" AS "__pgt_partition_1"
        FROM (
          SELECT
            "id_1",
            "region_2",
            "amount_3",
            "region_2" AS "partition_5",
            RANK() OVER (PARTITION BY "region_2" ORDER BY "amount_3") AS "window_4"
          FROM (
            SELECT
              *
            FROM (
              SELECT
                "id_1",
                "region_2",
                "amount_3"
              FROM (
                SELECT
                  "id" AS "id_1",
                  "region" AS "region_2",
                  "amount" AS "amount_3"
                FROM ONLY "shop"."orders"
              ) AS "rows"
              WHERE
                (
                  EXISTS(
                    SELECT
                      1
                    FROM (
                      SELECT
                        "partition_5" AS "__pgt_k0"
                      FROM "keys_1"
                    ) AS "k"
                    WHERE
                      (
                        "region_2" = "k"."__pgt_k0"
                      )
                  )
                )
              UNION ALL
              SELECT
                "id_1",
                "region_2",
                "amount_3"
              FROM (
                SELECT
                  "id" AS "id_1",
                  "region" AS "region_2",
                  "amount" AS "amount_3"
                FROM ONLY "shop"."orders"
              ) AS "rows"
              WHERE
                (
                  EXISTS(
                    SELECT
                      1
                    FROM (
                      SELECT
                        "partition_5" AS "__pgt_k0"
                      FROM "keys_1"
                    ) AS "k"
                    WHERE
                      (
                        "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                      )
                  )
                )
                AND (
                  "region_2" IS NOT DISTINCT FROM NULL
                )
                AND (
                  EXISTS(
                    SELECT
                      1
                    FROM (
                      SELECT
                        "partition_5" AS "__pgt_k0"
                      FROM "keys_1"
                    ) AS "k"
                    WHERE
                      (
                        "region_2" IS NOT DISTINCT FROM "k"."__pgt_k0"
                      )
                  )
                )
            ) AS "unsorted"
            ORDER BY
              "region_2",
              "amount_3",
              "id_1"
          ) AS "rows"
        ) AS "rows"
      ) AS "now"
      UNION ALL
      SELECT
        "id",
        "r",
        "__pgt_partition_1",
        (
          -1
        ) AS "__pgt_weight"
      FROM (
        SELECT
          "id",
          "r",
          "__pgt_partition_1"
        FROM (
          SELECT
            "id",
            "r",
            "__pgt_partition_1"
          FROM "pgtrickle_state"."shop.result"
        ) AS "rows"
        WHERE
          (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "partition_5" AS "__pgt_k0"
                FROM "keys_1"
              ) AS "k"
              WHERE
                (
                  "__pgt_partition_1" = "k"."__pgt_k0"
                )
            )
          )
        UNION ALL
        SELECT
          "id",
          "r",
          "__pgt_partition_1"
        FROM (
          SELECT
            "id",
            "r",
            "__pgt_partition_1"
          FROM "pgtrickle_state"."shop.result"
        ) AS "rows"
        WHERE
          (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "partition_5" AS "__pgt_k0"
                FROM "keys_1"
              ) AS "k"
              WHERE
                (
                  "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                )
            )
          )
          AND (
            "__pgt_partition_1" IS NOT DISTINCT FROM NULL
          )
          AND (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "partition_5" AS "__pgt_k0"
                FROM "keys_1"
              ) AS "k"
              WHERE
                (
                  "__pgt_partition_1" IS NOT DISTINCT FROM "k"."__pgt_k0"
                )
            )
          )
      ) AS "before"
    ) AS "changes"
    GROUP BY
      "id",
      "r",
      "__pgt_partition_1"
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
  "r" = "d"."r",
  "__pgt_partition_1" = "d"."__pgt_partition_1"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "r", "__pgt_partition_1") VALUES ("d"."id", "d"."r", "d"."__pgt_partition_1")
