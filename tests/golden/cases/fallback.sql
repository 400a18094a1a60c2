-- name: a reference to a query further out is refused
-- changed: orders
SELECT id FROM shop.orders WHERE (EXISTS ( SELECT 1 FROM shop.customers WHERE (EXISTS ( SELECT 1 FROM shop.orders p WHERE ((p.id = orders.id) AND (p.customer_id = customers.id))))))
---
FULL [PGT260] a reference from inside a subquery to a query further out has no differential form

-- name: a scalar subquery of several rows is refused
-- changed: orders
SELECT id, ( SELECT customers.name FROM shop.customers WHERE (customers.id > orders.customer_id)) AS x FROM shop.orders
---
FULL [PGT259] a scalar subquery that may return several rows has no differential form

-- name: system columns are refused
-- changed: orders
SELECT orders.ctid FROM shop.orders
---
FULL [PGT230] column "ctid" is not a stored column of a source
