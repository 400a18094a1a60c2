-- name: DISTINCT is refused by name
-- changed: orders
SELECT DISTINCT region FROM shop.orders
---
FULL [PGT251] DISTINCT has no differential form yet

-- name: HAVING is refused by name
-- changed: orders
SELECT region FROM shop.orders GROUP BY region HAVING (count(*) > 1)
---
FULL [PGT252] HAVING has no differential form yet

-- name: a subquery in an expression is refused
-- changed: orders
SELECT id FROM shop.orders WHERE (customer_id IN ( SELECT customers.id FROM shop.customers))
---
FULL [PGT256] a subquery in an expression has no differential form yet

-- name: an aggregate below a join is refused
-- changed: orders
SELECT s.n FROM ( SELECT count(*) AS n FROM shop.orders GROUP BY orders.region) s
---
FULL [PGT240] an aggregate below another operator has no differential form yet

-- name: count distinct is refused
-- changed: orders
SELECT region, count(DISTINCT customer_id) AS n FROM shop.orders GROUP BY region
---
FULL [PGT201] this use of aggregate count has no differential form yet

-- name: a window function is refused
-- changed: orders
SELECT id, rank() OVER (ORDER BY amount) AS r FROM shop.orders
---
FULL [PGT254] a window function has no differential form yet

-- name: union is refused
-- changed: orders
SELECT id FROM shop.orders UNION SELECT id FROM shop.customers
---
FULL [PGT257] a set operation or VALUES has no differential form yet
