-- name: rows that came or went are looked up on both sides
-- changed: orders
SELECT customer_id FROM shop.orders EXCEPT SELECT id FROM shop.customers
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
    "customer_id_2" AS "customer_id_3",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id_1",
      "customer_id" AS "customer_id_2",
      "__pgt_weight"
    FROM "delta_1"
  ) AS "changes"
), "keys_2" AS (
  SELECT DISTINCT
    "customer_id_6"
  FROM (
    SELECT
      "customer_id_3" AS "customer_id_6"
    FROM (
      SELECT
        "customer_id_3",
        "__pgt_weight"
      FROM "changes_1"
    ) AS "side"
    UNION ALL
    SELECT
      "id_5" AS "customer_id_6"
    FROM (
      SELECT
        "id_4" AS "id_5"
      FROM (
        SELECT
          "id" AS "id_4"
        FROM ONLY "shop"."customers"
      ) AS "rows"
    ) AS "side"
    WHERE
      FALSE
  ) AS "changes"
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("customer_id")
    "customer_id",
    "__pgt_weight"
  FROM (
    SELECT
      "customer_id" AS "customer_id",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "customer_id",
        1 AS "__pgt_weight"
      FROM (
        SELECT
          "customer_id_6" AS "customer_id"
        FROM (
          SELECT
            "customer_id_6"
          FROM (
            SELECT
              "customer_id_6"
            FROM (
              SELECT
                "customer_id_3" AS "customer_id_6"
              FROM (
                SELECT
                  "customer_id_2" AS "customer_id_3"
                FROM (
                  SELECT
                    "id" AS "id_1",
                    "customer_id" AS "customer_id_2"
                  FROM ONLY "shop"."orders"
                ) AS "rows"
              ) AS "side"
            ) AS "rows"
            WHERE
              (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "customer_id_6" = "k"."__pgt_k0"
                    )
                )
              )
            UNION ALL
            SELECT
              "customer_id_6"
            FROM (
              SELECT
                "customer_id_3" AS "customer_id_6"
              FROM (
                SELECT
                  "customer_id_2" AS "customer_id_3"
                FROM (
                  SELECT
                    "id" AS "id_1",
                    "customer_id" AS "customer_id_2"
                  FROM ONLY "shop"."orders"
                ) AS "rows"
              ) AS "side"
            ) AS "rows"
            WHERE
              (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                    )
                )
              )
              AND (
                "customer_id_6" IS NOT DISTINCT FROM NULL
              )
              AND (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "customer_id_6" IS NOT DISTINCT FROM "k"."__pgt_k0"
                    )
                )
              )
          ) AS "side"
          EXCEPT
          SELECT
            "customer_id_6"
          FROM (
            SELECT
              "customer_id_6"
            FROM (
              SELECT
                "id_5" AS "customer_id_6"
              FROM (
                SELECT
                  "id_4" AS "id_5"
                FROM (
                  SELECT
                    "id" AS "id_4"
                  FROM ONLY "shop"."customers"
                ) AS "rows"
              ) AS "side"
            ) AS "rows"
            WHERE
              (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "customer_id_6" = "k"."__pgt_k0"
                    )
                )
              )
            UNION ALL
            SELECT
              "customer_id_6"
            FROM (
              SELECT
                "id_5" AS "customer_id_6"
              FROM (
                SELECT
                  "id_4" AS "id_5"
                FROM (
                  SELECT
                    "id" AS "id_4"
                  FROM ONLY "shop"."customers"
                ) AS "rows"
              ) AS "side"
            ) AS "rows"
            WHERE
              (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "k"."__pgt_k0" IS NOT DISTINCT FROM NULL
                    )
                )
              )
              AND (
                "customer_id_6" IS NOT DISTINCT FROM NULL
              )
              AND (
                EXISTS(
                  SELECT
                    1
                  FROM (
                    SELECT
                      "customer_id_6" AS "__pgt_k0"
                    FROM "keys_2"
                  ) AS "k"
                  WHERE
                    (
                      "customer_id_6" IS NOT DISTINCT FROM "k"."__pgt_k0"
                    )
                )
              )
          ) AS "side"
        ) AS "rows"
      ) AS "now"
      UNION ALL
      SELECT
        "customer_id",
        (
          -1
        ) AS "__pgt_weight"
      FROM (
        SELECT
          "customer_id"
        FROM (
          SELECT
            "customer_id"
          FROM "pgtrickle_state"."shop.result"
        ) AS "rows"
        WHERE
          (
            EXISTS(
              SELECT
                1
              FROM (
                SELECT
                  "customer_id_6" AS "__pgt_k0"
                FROM "keys_2"
              ) AS "k"
              WHERE
                (
                  "customer_id" = "k"."__pgt_k0"
                )
            )
          )
      ) AS "before"
    ) AS "changes"
    GROUP BY
      "customer_id"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
  ORDER BY
    "customer_id",
    "__pgt_weight" DESC
) AS "d"
ON (
  "t"."customer_id" = "d"."customer_id"
)
WHEN MATCHED AND "d"."__pgt_weight" < 0 THEN DELETE
WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("customer_id") VALUES ("d"."customer_id")
