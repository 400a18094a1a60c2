SELECT (SELECT count(*) FROM customers),
       (SELECT count(*) FROM products),
       (SELECT count(*) FROM orders),
       (SELECT count(*) FROM order_lines)
