-- For each of the given views the functions of extensions and users that its rule calls, also through operators, as often
-- as it calls them. Names in a rule tree have their spaces and braces escaped: no alias matches.
SELECT r.ev_class::bigint, array_agg(match[1]::bigint ORDER BY match[1]::bigint)
FROM pg_rewrite AS r,
     regexp_matches(r.ev_action::text, ' :(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') AS match
WHERE r.ev_class = ANY (%s::oid[]) AND r.ev_type = '1' AND match[1]::bigint >= 16384
GROUP BY r.ev_class
