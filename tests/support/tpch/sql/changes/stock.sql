-- Parts and what suppliers have of them: 0.2 shares deleted with all lines, 0.3 new, one share updated.
CREATE TEMP TABLE doomed ON COMMIT DROP AS
SELECT p_partkey AS key FROM part WHERE dice(p_partkey, 101) < share() * 0.2
UNION SELECT (SELECT p_partkey FROM part ORDER BY dice(p_partkey, 101) LIMIT 1);

DELETE FROM lineitem USING doomed WHERE l_partkey = key;

DELETE FROM partsupp USING doomed WHERE ps_partkey = key;

DELETE FROM part USING doomed WHERE p_partkey = key;

CREATE TEMP TABLE drafts ON COMMIT DROP AS
SELECT p_partkey AS model,
       ((SELECT max(p_partkey) FROM part) + row_number() OVER (ORDER BY p_partkey))::integer AS key
FROM part WHERE dice(p_partkey, 102) < share() * 0.3;

INSERT INTO part
SELECT key, p_name, p_mfgr, p_brand, p_type, throw(key, 103, 1, 50), p_container, p_retailprice + 1, p_comment
FROM drafts JOIN part ON p_partkey = model;

INSERT INTO partsupp
SELECT key, ps_suppkey, throw(key, 104, 1, 9999), ps_supplycost - throw(key, 105, 0, 99) / 100.0, ps_comment
FROM drafts JOIN partsupp ON ps_partkey = model;

UPDATE part SET
    p_size = throw(p_partkey, 112, 1, 50),
    p_brand = 'Brand#' || throw(p_partkey, 113, 1, 5) || throw(p_partkey, 114, 1, 5),
    p_type = pick(p_partkey, 115, ARRAY['ECONOMY ANODIZED STEEL', 'PROMO PLATED BRASS', 'MEDIUM POLISHED TIN', 'LARGE BRUSHED BRASS']),
    p_container = pick(p_partkey, 116, ARRAY['SM CASE', 'MED BOX', 'MED BAG', 'LG BOX']),
    p_name = CASE WHEN dice(p_partkey, 117) < 0.5 THEN p_name
                  ELSE pick(p_partkey, 118, ARRAY['forest', 'green', 'azure']) || ' lace navy olive salmon' END
WHERE dice(p_partkey, 111) < share();

UPDATE partsupp SET
    ps_availqty = throw(ps_partkey * 10000 + ps_suppkey, 122, 1, 9999),
    ps_supplycost = ps_supplycost * throw(ps_partkey * 10000 + ps_suppkey, 123, 50, 150) / 100.0
WHERE dice(ps_partkey * 10000 + ps_suppkey, 121) < share();

CREATE TEMP TABLE dropped ON COMMIT DROP AS
SELECT ps_partkey AS part, ps_suppkey AS supplier FROM partsupp
WHERE dice(ps_partkey * 10000 + ps_suppkey, 131) < share() * 0.2;

DELETE FROM lineitem USING dropped WHERE l_partkey = part AND l_suppkey = supplier;

DELETE FROM partsupp USING dropped WHERE ps_partkey = part AND ps_suppkey = supplier;

DROP TABLE doomed, drafts, dropped;
