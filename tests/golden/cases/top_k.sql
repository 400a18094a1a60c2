-- name: the result is computed again
-- changed: orders
SELECT id, amount FROM shop.orders ORDER BY amount DESC LIMIT 3
---
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "amount",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "amount" AS "amount",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id",
        "amount",
        1 AS "__pgt_weight"
      FROM (
        SELECT
          "id",
          "amount"
        FROM (
          SELECT
            "column_4" AS "id",
            "column_5" AS "amount"
          FROM (
            SELECT
              "column_4",
              "column_5",
              "sort_3"
            FROM (
              SELECT
                "id_1" AS "column_4",
                "amount_2" AS "column_5",
                "amount_2" AS "sort_3"
              FROM (
                SELECT
                  "id" AS "id_1",
                  "amount" AS "amount_2"
                FROM ONLY "shop"."orders"
              ) AS "rows"
            ) AS "rows"
            ORDER BY
              "sort_3" DESC,
              "column_4"
            LIMIT 3
          ) AS "rows"
        ) AS "contents"
      ) AS "wanted"
      UNION ALL
      SELECT
        "id",
        "amount",
        (
          -1
        ) AS "__pgt_weight"
      FROM "pgtrickle_state"."shop.result"
    ) AS "changes"
    GROUP BY
      "id",
      "amount"
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
  "amount" = "d"."amount"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "amount") VALUES ("d"."id", "d"."amount")
