-- Nations and regions: one of each goes and its people move, one comes and gets people, two swap their names.
CREATE TEMP TABLE doomed ON COMMIT DROP AS
SELECT n_nationkey AS key, (SELECT n_nationkey FROM nation WHERE n_name = 'FRANCE') AS heir
FROM nation WHERE n_name NOT IN ('FRANCE', 'GERMANY', 'BRAZIL', 'CANADA', 'SAUDI ARABIA')
ORDER BY dice(n_nationkey, 301) LIMIT 1;

UPDATE supplier SET s_nationkey = heir FROM doomed WHERE s_nationkey = key;

UPDATE customer SET c_nationkey = heir FROM doomed WHERE c_nationkey = key;

DELETE FROM nation USING doomed WHERE n_nationkey = key;

CREATE TEMP TABLE lost ON COMMIT DROP AS
SELECT r_regionkey AS key, (SELECT r_regionkey FROM region WHERE r_name = 'ASIA') AS heir
FROM region WHERE r_name NOT IN ('EUROPE', 'ASIA', 'AMERICA')
ORDER BY dice(r_regionkey, 302) LIMIT 1;

UPDATE nation SET n_regionkey = heir FROM lost WHERE n_regionkey = key;

DELETE FROM region USING lost WHERE r_regionkey = key;

INSERT INTO region
SELECT max(r_regionkey) + 1, 'REGION ' || max(r_regionkey) + 1, 'new' FROM region;

INSERT INTO nation
SELECT max(n_nationkey) + 1, 'NATION ' || max(n_nationkey) + 1,
       (SELECT r_regionkey FROM region ORDER BY dice(r_regionkey, 303) LIMIT 1), 'new'
FROM nation;

UPDATE nation SET n_regionkey = (SELECT max(r_regionkey) FROM region)
WHERE n_nationkey = (SELECT n_nationkey FROM nation ORDER BY dice(n_nationkey, 304) LIMIT 1);

UPDATE supplier SET s_nationkey = (SELECT max(n_nationkey) FROM nation)
WHERE s_suppkey IN (SELECT s_suppkey FROM supplier ORDER BY dice(s_suppkey, 305) LIMIT 2);

UPDATE customer SET c_nationkey = (SELECT max(n_nationkey) FROM nation)
WHERE dice(c_custkey, 306) < share();

CREATE TEMP TABLE names ON COMMIT DROP AS
SELECT array_agg(n_nationkey) AS keys, array_agg(n_name) AS names
FROM (
    SELECT n_nationkey, n_name FROM nation
    WHERE EXISTS (SELECT FROM supplier WHERE s_nationkey = n_nationkey)
    ORDER BY n_name NOT IN ('FRANCE', 'GERMANY', 'BRAZIL', 'CANADA', 'SAUDI ARABIA'), dice(n_nationkey, 307) LIMIT 2
) AS two;

UPDATE nation SET n_name = CASE n_nationkey WHEN keys[1] THEN names[2] ELSE names[1] END
FROM names WHERE n_nationkey = ANY (keys);

CREATE TEMP TABLE titles ON COMMIT DROP AS
SELECT array_agg(r_regionkey) AS keys, array_agg(r_name) AS names
FROM (
    SELECT r_regionkey, r_name FROM region
    WHERE r_name IN ('EUROPE', 'ASIA', 'AMERICA')
    ORDER BY dice(r_regionkey, 308) LIMIT 2
) AS two;

UPDATE region SET r_name = CASE r_regionkey WHEN keys[1] THEN names[2] ELSE names[1] END
FROM titles WHERE r_regionkey = ANY (keys);

DROP TABLE doomed, lost, names, titles;
