#variable_conflict use_column
BEGIN
{capture}
    RETURN NULL;
END
