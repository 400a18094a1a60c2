-- name: the partitions with a change are chosen from again
-- changed: orders
SELECT DISTINCT ON (region) region, id FROM shop.orders ORDER BY region, amount
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
    "region_2" AS "column_6",
    "id_1" AS "column_7",
    "region_2" AS "sort_4",
    "amount_3" AS "sort_5",
    "region_2" AS "on_8",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "region" AS "region_2",
      "amount" AS "amount_3",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "keys_2" AS (
  SELECT DISTINCT
    "on_8" AS "on_8_"
  FROM (
    SELECT
      "column_6",
      "column_7",
      "sort_4",
      "sort_5",
      "on_8",
      "__pgt_weight"
    FROM "changes_1"
  ) AS "changes"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("__pgt_key_1")
    "region",
    "id",
    "__pgt_key_1",
    "__pgt_weight"
  FROM (
    SELECT
      "region" AS "region",
      "id" AS "id",
      "__pgt_key_1" AS "__pgt_key_1",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "region",
        "id",
        "__pgt_key_1",
        1 AS "__pgt_weight"
      FROM (
        SELECT
          "column_6" AS "region",
          "column_7" AS "id",
          "on_8_" AS "__pgt_key_1"
        FROM (
          SELECT DISTINCT ON ("on_8_")
            "column_6",
            "column_7",
            "sort_4",
            "sort_5",
            "on_8",
            "on_8_"
          FROM (
            SELECT
              "column_6",
              "column_7",
              "sort_4",
              "sort_5",
              "on_8",
              "on_8" AS "on_8_"
            FROM (
              SELECT
                "column_6",
                "column_7",
                "sort_4",
                "sort_5",
                "on_8"
              FROM (
                SELECT
                  "region_2" AS "column_6",
                  "id_1" AS "column_7",
                  "region_2" AS "sort_4",
                  "amount_3" AS "sort_5",
                  "region_2" AS "on_8"
                FROM (
                  SELECT
                    "id" AS "id_1",
                    "region" AS "region_2",
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
                        "on_8_" AS "__pgt_k0"
                      FROM "keys_2"
                    ) AS "k"
                    WHERE
                      (
                        "on_8" = "k"."__pgt_k0"
                      )
                  )
                )
              UNION ALL
              SELECT
                "column_6",
                "column_7",
                "sort_4",
                "sort_5",
                "on_8"
              FROM (
                SELECT
                  "region_2" AS "column_6",
                  "id_1" AS "column_7",
                  "region_2" AS "sort_4",
                  "amount_3" AS "sort_5",
                  "region_2" AS "on_8"
                FROM (
                  SELECT
                    "id" AS "id_1",
                    "region" AS "region_2",
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
                        "on_8_" AS "__pgt_k0"
                      FROM "keys_2"
                    ) AS "k"
                    WHERE
                      (
                        "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                      )
                  )
                )
                AND (
                  "on_8" IS NOT DISTINCT FROM NULL
                )
                AND (
                  EXISTS(
                    SELECT
                      1
                    FROM (
                      SELECT
                        "on_8_" AS "__pgt_k0"
                      FROM "keys_2"
                    ) AS "k"
                    WHERE
                      (
                        "on_8" IS NOT DISTINCT FROM "k"."__pgt_k0"
                      )
                  )
                )
            ) AS "rows"
          ) AS "keyed"
          ORDER BY
            "on_8_",
            "sort_4",
            "sort_5",
            "column_7"
        ) AS "rows"
      ) AS "now"
      UNION ALL
      SELECT
        "region",
        "id",
        "__pgt_key_1",
        (
          -1
        ) AS "__pgt_weight"
      FROM (
        SELECT
          "region",
          "id",
          "__pgt_key_1"
        FROM (
          SELECT
            "region",
            "id",
            "__pgt_key_1"
          FROM "pgtrickle_state"."shop.result"
        ) AS "rows"
        WHERE
          (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "on_8_" AS "__pgt_k0"
                FROM "keys_2"
              ) AS "k"
              WHERE
                (
                  "__pgt_key_1" = "k"."__pgt_k0"
                )
            )
          )
        UNION ALL
        SELECT
          "region",
          "id",
          "__pgt_key_1"
        FROM (
          SELECT
            "region",
            "id",
            "__pgt_key_1"
          FROM "pgtrickle_state"."shop.result"
        ) AS "rows"
        WHERE
          (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "on_8_" AS "__pgt_k0"
                FROM "keys_2"
              ) AS "k"
              WHERE
                (
                  "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                )
            )
          )
          AND (
            "__pgt_key_1" IS NOT DISTINCT FROM NULL
          )
          AND (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "on_8_" AS "__pgt_k0"
                FROM "keys_2"
              ) AS "k"
              WHERE
                (
                  "__pgt_key_1" IS NOT DISTINCT FROM "k"."__pgt_k0"
                )
            )
          )
      ) AS "before"
    ) AS "changes"
    GROUP BY
      "region",
      "id",
      "__pgt_key_1"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "__pgt_key_1",
    "__pgt_weight" DESC
) AS "d"
ON (
  HASH_RECORD_EXTENDED(ROW("t"."__pgt_key_1"), 0) = HASH_RECORD_EXTENDED(ROW("d"."__pgt_key_1"), 0)
)
AND (
  "t"."__pgt_key_1" IS NOT DISTINCT FROM "d"."__pgt_key_1"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET
  "region" = "d"."region",
  "id" = "d"."id"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("region", "id", "__pgt_key_1") VALUES ("d"."region", "d"."id", "d"."__pgt_key_1")
