-- The functions that the rules of the given views call, also through operators, aggregates, window functions
-- and conversions by way of text. Names in a rule tree have their spaces and braces escaped: no alias matches.
WITH trees AS (
    SELECT ev_action::text AS tree FROM pg_rewrite WHERE ev_class = ANY (%s::oid[]) AND ev_type = '1'
), called (oid) AS (
    SELECT match[1]::oid
    FROM trees, regexp_matches(tree, ' :(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') AS match
    UNION
    SELECT t.typinput::oid
    FROM trees, regexp_matches(tree, ' :resulttype (\d+) :resultcollid', 'g') AS match
    JOIN pg_type AS t ON t.oid = match[1]::oid
    UNION
    SELECT t.typoutput::oid
    FROM trees,
         regexp_matches(tree, ' :(?:vartype|consttype|funcresulttype|opresulttype|resulttype) (\d+)', 'g') AS match
    JOIN pg_type AS t ON t.oid = match[1]::oid
    WHERE tree LIKE '%%{COERCEVIAIO :%%' AND starts_with(t.typname, 'reg') AND t.oid < 16384
)
SELECT n.nspname, p.proname, p.provolatile::text, p.oid < 16384, p.prokind::text, p.proretset,
       p.oid < 16384 AND (
           p.proname IN ('now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp', 'timeofday')
           OR (p.proname = 'age' AND p.pronargs = 1)
       )
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE p.oid IN (SELECT oid FROM called)
ORDER BY n.nspname, p.proname, p.oid
