-- Whether the rules of the given views use CURRENT_DATE, CURRENT_USER and the like, which are no functions.
SELECT coalesce(bool_or(ev_action::text LIKE '%%{SQLVALUEFUNCTION :%%'), false)
FROM pg_rewrite
WHERE ev_class = ANY (%s::oid[]) AND ev_type = '1'
