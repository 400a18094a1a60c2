    IF TG_OP = 'INSERT' THEN
        INSERT INTO {buffer} (action{columns}) SELECT 'I'::"char"{new_values} FROM new_rows AS n;
    ELSIF TG_OP = 'UPDATE' THEN
        {update}
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {buffer} (action{columns}) SELECT 'D'::"char"{old_values} FROM old_rows AS o;
    ELSE
        INSERT INTO pgtrickle_changes.marks (source_id, kind) VALUES ({source_id}, 'truncate');
    END IF;
