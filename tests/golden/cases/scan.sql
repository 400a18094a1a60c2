-- name: a keyed table is upserted by its key
-- changed: orders
SELECT id, amount FROM shop.orders
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
)
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
        "id_1" AS "id",
        "amount_2" AS "amount",
        "__pgt_weight"
      FROM (
        SELECT
          "id" AS "id_1",
          "amount" AS "amount_2",
          "__pgt_weight"
        FROM "delta_1"
      ) AS "changes"
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

-- name: a table without a key is a bag, json compared as text
-- changed: events
SELECT kind, doc FROM shop.events
---
WITH "delta_1" AS (
  SELECT
    "kind" AS "kind",
    "doc" AS "doc",
    CASE WHEN "action" = 'I' THEN 1 ELSE (
      -1
    ) END AS "__pgt_weight"
  FROM "pgtrickle_changes"."changes_3"
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
), "changes" AS (
  SELECT
    "kind",
    "doc",
    "__pgt_weight",
    HASH_RECORD_EXTENDED(ROW("kind", CAST("doc" AS TEXT) COLLATE "C"), 0) AS "__pgt_row_hash",
    ROW_NUMBER() OVER () AS "__pgt_change"
  FROM (
    SELECT
      "kind" AS "kind",
      (
        ARRAY_AGG("doc")
      )[1] AS "doc",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "kind_1" AS "kind",
        "doc_2" AS "doc",
        "__pgt_weight"
      FROM (
        SELECT
          "kind" AS "kind_1",
          "doc" AS "doc_2",
          "__pgt_weight"
        FROM "delta_1"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "kind",
      CAST("doc" AS TEXT) COLLATE "C"
    HAVING
      SUM("__pgt_weight") <> 0
  ) AS "net"
), "removed" AS (
  DELETE FROM "pgtrickle_state"."shop.result" AS "t"
  WHERE
    "t"."ctid" = ANY(
      ARRAY(SELECT
        "__pgt_victim"
      FROM (
        SELECT
          "t"."ctid" AS "__pgt_victim",
          ROW_NUMBER() OVER (PARTITION BY "d"."__pgt_change") AS "__pgt_copy",
          "d"."__pgt_weight"
        FROM "changes" AS "d", "pgtrickle_state"."shop.result" AS "t"
        WHERE
          (
            (
              "t"."__pgt_row_hash" = "d"."__pgt_row_hash"
            )
            AND (
              "t"."kind" IS NOT DISTINCT FROM "d"."kind"
            )
            AND (
              (
                CAST("t"."doc" AS TEXT) COLLATE "C"
              ) IS NOT DISTINCT FROM (
                CAST("d"."doc" AS TEXT) COLLATE "C"
              )
            )
          )
          AND (
            "d"."__pgt_weight" < 0
          )
      ) AS "candidates"
      WHERE
        (
          "__pgt_copy" <= (
            -"__pgt_weight"
          )
        ))
    )
)
INSERT INTO "pgtrickle_state"."shop.result" (
  "kind",
  "doc",
  "__pgt_row_hash"
)
SELECT
  "d"."kind",
  "d"."doc",
  "d"."__pgt_row_hash"
FROM "changes" AS "d", GENERATE_SERIES(1, "d"."__pgt_weight") AS __pgt_copy
WHERE
  (
    "d"."__pgt_weight" > 0
  )

-- name: a virtual generated column is replaced by its expression
-- changed: orders
SELECT id, doubled FROM shop.orders
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
)
MERGE INTO "pgtrickle_state"."shop.result" AS "t"
USING (
  SELECT DISTINCT ON ("id")
    "id",
    "doubled",
    "__pgt_weight"
  FROM (
    SELECT
      "id" AS "id",
      "doubled" AS "doubled",
      CAST(SUM("__pgt_weight") AS INT) AS "__pgt_weight"
    FROM (
      SELECT
        "id_1" AS "id",
        (
          "amount_2" * CAST((
            2
          ) AS DECIMAL)
        ) AS "doubled",
        "__pgt_weight"
      FROM (
        SELECT
          "id" AS "id_1",
          "amount" AS "amount_2",
          "__pgt_weight"
        FROM "delta_1"
      ) AS "changes"
    ) AS "changes"
    GROUP BY
      "id",
      "doubled"
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
  "doubled" = "d"."doubled"
WHEN NOT MATCHED AND "d"."__pgt_weight" > 0 THEN INSERT ("id", "doubled") VALUES ("d"."id", "d"."doubled")
