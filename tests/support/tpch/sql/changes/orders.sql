-- Orders with their lines: 0.3 shares deleted, 0.3 new, 0.4 updated, and a few that get another key.
CREATE TEMP TABLE doomed ON COMMIT DROP AS
SELECT o_orderkey AS key FROM orders WHERE dice(o_orderkey, 1) < share() * 0.3;

DELETE FROM lineitem USING doomed WHERE l_orderkey = key;

DELETE FROM orders USING doomed WHERE o_orderkey = key;

CREATE TEMP TABLE buyers ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY c_custkey) AS number, c_custkey FROM customer;

CREATE TEMP TABLE stock ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY ps_partkey, ps_suppkey) AS number,
       ps_partkey, ps_suppkey, p_retailprice
FROM partsupp JOIN part ON p_partkey = ps_partkey;

CREATE TEMP TABLE drafts ON COMMIT DROP AS
SELECT o_orderkey AS model,
       (SELECT max(o_orderkey) FROM orders) + row_number() OVER (ORDER BY o_orderkey) AS key,
       throw(o_orderkey, 3, -40, 40) AS days
FROM orders WHERE dice(o_orderkey, 2) < share() * 0.3;

ANALYZE buyers;

ANALYZE stock;

ANALYZE drafts;

INSERT INTO orders
SELECT key, c_custkey, o_orderstatus, o_totalprice + throw(key, 4, 1, 9999), o_orderdate + days,
       pick(key, 5, ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW']),
       o_clerk, o_shippriority, o_comment
FROM drafts
JOIN orders ON o_orderkey = model
JOIN buyers ON number = throw(key, 6, 1, (SELECT max(number)::integer FROM buyers));

INSERT INTO lineitem
SELECT key, ps_partkey, ps_suppkey, l_linenumber, quantity, quantity * p_retailprice,
       throw(key * 8 + l_linenumber, 12, 0, 10) / 100.0, l_tax, l_returnflag, l_linestatus,
       l_shipdate + days, l_commitdate + days, l_receiptdate + days,
       l_shipinstruct, l_shipmode, l_comment
FROM drafts
JOIN lineitem ON l_orderkey = model
CROSS JOIN LATERAL (SELECT throw(key * 8 + l_linenumber, 10, 1, 50) AS quantity) AS drawn
JOIN stock ON number = throw(key * 8 + l_linenumber, 11, 1, (SELECT max(number)::integer FROM stock));

UPDATE orders SET
    o_orderdate = o_orderdate + throw(o_orderkey, 21, -40, 40),
    o_orderpriority = pick(o_orderkey, 22, ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW']),
    o_totalprice = o_totalprice + throw(o_orderkey, 23, 1, 9999),
    o_orderstatus = pick(o_orderkey, 24, ARRAY['F', 'O', 'P']),
    o_comment = CASE WHEN dice(o_orderkey, 25) < 0.1 THEN 'special and final requests' ELSE 'regular deposits' END,
    o_custkey = CASE WHEN dice(o_orderkey, 26) < 0.5 THEN o_custkey ELSE c_custkey END
FROM buyers
WHERE dice(o_orderkey, 20) < share() * 0.4 AND number = throw(o_orderkey, 27, 1, (SELECT max(number)::integer FROM buyers));

UPDATE lineitem SET
    l_quantity = throw(l_orderkey * 8 + l_linenumber, 31, 1, 50),
    l_extendedprice = l_extendedprice + throw(l_orderkey * 8 + l_linenumber, 32, -500, 500),
    l_discount = throw(l_orderkey * 8 + l_linenumber, 33, 0, 10) / 100.0,
    l_returnflag = pick(l_orderkey * 8 + l_linenumber, 34, ARRAY['A', 'N', 'R']),
    l_shipdate = l_shipdate + throw(l_orderkey * 8 + l_linenumber, 35, -30, 30),
    l_receiptdate = l_receiptdate + throw(l_orderkey * 8 + l_linenumber, 36, -30, 30),
    l_shipmode = pick(l_orderkey * 8 + l_linenumber, 37, ARRAY['AIR', 'MAIL', 'SHIP', 'RAIL', 'TRUCK'])
WHERE dice(l_orderkey * 8 + l_linenumber, 30) < share() * 0.3;

UPDATE lineitem SET l_partkey = ps_partkey, l_suppkey = ps_suppkey
FROM stock
WHERE dice(l_orderkey * 8 + l_linenumber, 38) < share() * 0.1
  AND number = throw(l_orderkey * 8 + l_linenumber, 39, 1, (SELECT max(number)::integer FROM stock));

CREATE TEMP TABLE moves ON COMMIT DROP AS
SELECT o_orderkey AS key,
       (SELECT max(o_orderkey) FROM orders) + row_number() OVER (ORDER BY o_orderkey) AS new_key
FROM orders WHERE dice(o_orderkey, 40) < share() * 0.02;

UPDATE lineitem SET l_orderkey = new_key FROM moves WHERE l_orderkey = key;

UPDATE orders SET o_orderkey = new_key FROM moves WHERE o_orderkey = key;

DROP TABLE doomed, buyers, stock, drafts, moves;
