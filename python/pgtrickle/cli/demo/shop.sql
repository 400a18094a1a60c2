-- A small shop with a few thousand rows. The same rows every time.
CREATE TABLE customers (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    region text NOT NULL
);

CREATE TABLE products (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    category text NOT NULL,
    price numeric(10, 2) NOT NULL CHECK (price > 0)
);

CREATE TABLE orders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers,
    status text NOT NULL CHECK (status IN ('placed', 'shipped', 'cancelled')),
    placed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE order_lines (
    order_id integer NOT NULL REFERENCES orders ON DELETE CASCADE,
    line integer NOT NULL,
    product_id integer NOT NULL REFERENCES products,
    quantity integer NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (order_id, line)
);

SELECT setseed(0.42);

INSERT INTO customers (name, region)
SELECT 'Customer ' || n, (ARRAY['north', 'south', 'east', 'west'])[1 + n % 4]
FROM generate_series(1, 400) AS n;

INSERT INTO products (name, category, price)
SELECT category || ' ' || n, category, round((5 + random() * 195)::numeric, 2)
FROM generate_series(1, 100) AS n,
     LATERAL (SELECT (ARRAY['Book', 'Game', 'Garden', 'Kitchen', 'Music'])[1 + n % 5] AS category) AS c;

INSERT INTO orders (customer_id, status, placed_at)
SELECT 1 + floor(random() * 400)::int,
       (ARRAY['placed', 'shipped', 'shipped', 'cancelled'])[1 + n % 4],
       now() - make_interval(mins => 2000 - n)
FROM generate_series(1, 2000) AS n;

INSERT INTO order_lines (order_id, line, product_id, quantity)
SELECT o.id, line, 1 + floor(random() * 100)::int, 1 + floor(random() * 5)::int
FROM orders AS o, LATERAL generate_series(1, 1 + o.id % 4) AS line;

ANALYZE;
