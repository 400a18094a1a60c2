INSERT INTO {buffer} (action{columns})
        SELECT half.action{half_values}
        FROM (SELECT true AS "__pgt_present", t.* FROM old_rows AS t) AS o
        FULL JOIN (SELECT true AS "__pgt_present", t.* FROM new_rows AS t) AS n ON {match}
        CROSS JOIN LATERAL (
            VALUES ('D'::"char", o."__pgt_present"{old_values}), ('I'::"char", n."__pgt_present"{new_values})
        ) AS half (action, present{half_names})
        WHERE half.present AND (
            o."__pgt_present" IS NULL OR n."__pgt_present" IS NULL
            OR ROW({old_image})::record *<> ROW({new_image})::record
        );
