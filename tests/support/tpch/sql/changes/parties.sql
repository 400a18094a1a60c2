-- Customers and suppliers: deleted with everything of theirs, new ones, and one share (at least two) updated.
CREATE TEMP TABLE doomed ON COMMIT DROP AS
SELECT c_custkey AS key FROM customer WHERE dice(c_custkey, 201) < share() * 0.2
UNION SELECT (SELECT c_custkey FROM customer ORDER BY dice(c_custkey, 201) LIMIT 1);

DELETE FROM lineitem USING doomed, orders WHERE o_custkey = key AND l_orderkey = o_orderkey;

DELETE FROM orders USING doomed WHERE o_custkey = key;

DELETE FROM customer USING doomed WHERE c_custkey = key;

INSERT INTO customer
SELECT (SELECT max(c_custkey) FROM customer) + row_number() OVER (ORDER BY c_custkey),
       'Customer#new' || c_custkey || 'x' || current_setting('tpch.seed'), c_address, c_nationkey, c_phone,
       throw(c_custkey, 203, -999, 9999), c_mktsegment, c_comment
FROM customer WHERE dice(c_custkey, 202) < share() * 0.4;

UPDATE customer SET
    c_mktsegment = pick(c_custkey, 212, ARRAY['BUILDING', 'MACHINERY', 'AUTOMOBILE', 'FURNITURE', 'HOUSEHOLD']),
    c_acctbal = throw(c_custkey, 213, -999, 9999),
    c_nationkey = n_nationkey,
    c_phone = n_nationkey + 10 || substr(c_phone, 3)
FROM (SELECT row_number() OVER (ORDER BY n_nationkey) AS number, n_nationkey, count(*) OVER () AS total FROM nation) AS places
WHERE dice(c_custkey, 211) < share() AND number = throw(c_custkey, 214, 1, total::integer);

-- The supplier with the least business: a new one of an earlier round, if there is any.
CREATE TEMP TABLE leaving ON COMMIT DROP AS
SELECT s_suppkey AS key FROM supplier LEFT JOIN lineitem ON l_suppkey = s_suppkey
GROUP BY s_suppkey ORDER BY count(l_suppkey), s_suppkey LIMIT 1;

DELETE FROM lineitem USING leaving WHERE l_suppkey = key;

DELETE FROM partsupp USING leaving WHERE ps_suppkey = key;

DELETE FROM supplier USING leaving WHERE s_suppkey = key;

CREATE TEMP TABLE arriving ON COMMIT DROP AS
SELECT s_suppkey AS model,
       ((SELECT max(s_suppkey) FROM supplier) + row_number() OVER (ORDER BY dice(s_suppkey, 221)))::integer AS key
FROM supplier ORDER BY dice(s_suppkey, 221) LIMIT 2;

INSERT INTO supplier
SELECT key, 'Supplier#' || lpad(key::text, 9, '0'), s_address, s_nationkey, s_phone, throw(key, 222, -999, 9999),
       pick(key, 223, ARRAY['good', 'Customer recent Complaints'])
FROM arriving JOIN supplier ON s_suppkey = model;

INSERT INTO partsupp
SELECT ps_partkey, key, throw(ps_partkey, 224, 1, 9999), ps_supplycost / 2, ps_comment
FROM arriving JOIN partsupp ON ps_suppkey = model WHERE dice(ps_partkey, 225) < 0.2;

UPDATE supplier SET
    s_acctbal = throw(s_suppkey, 232, -999, 9999),
    s_comment = pick(s_suppkey, 233, ARRAY['good', 'Customer recent Complaints']),
    s_address = 'moved ' || current_setting('tpch.seed'),
    s_nationkey = (SELECT n_nationkey FROM nation ORDER BY dice(n_nationkey, s_suppkey) LIMIT 1)
WHERE s_suppkey IN (
    SELECT s_suppkey FROM supplier ORDER BY dice(s_suppkey, 231)
    LIMIT greatest(2, (SELECT count(*) * share() FROM supplier))
);

DROP TABLE doomed, leaving, arriving;
