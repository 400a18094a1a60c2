INSERT INTO {buffer} (action{columns})
        SELECT 'D'::"char"{old_values} FROM old_rows AS o
        UNION ALL
        SELECT 'I'::"char"{new_values} FROM new_rows AS n;
