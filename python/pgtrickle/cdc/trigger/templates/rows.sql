    IF TG_OP = 'INSERT' THEN
        INSERT INTO {buffer} (action{columns}) VALUES ('I'{new_values});
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO {buffer} (action{columns}) VALUES ('D'{old_values}), ('I'{new_values});
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO {buffer} (action{columns}) VALUES ('D'{old_values});
    ELSE
        INSERT INTO pgtrickle_changes.marks (source_id, kind) VALUES ({source_id}, 'truncate');
    END IF;
