-- After the load: what a primary key does not already start with.
CREATE INDEX nation_region ON nation (n_regionkey);
CREATE INDEX supplier_nation ON supplier (s_nationkey);
CREATE INDEX customer_nation ON customer (c_nationkey);
CREATE INDEX partsupp_supplier ON partsupp (ps_suppkey);
CREATE INDEX orders_customer ON orders (o_custkey);
CREATE INDEX lineitem_partsupp ON lineitem (l_partkey, l_suppkey);
CREATE INDEX lineitem_supplier ON lineitem (l_suppkey);
