"""TPC-H: the eight tables with generated data, the 22 queries, and rounds of changes to all tables.

`python -m tests.support.tpch` prints how each query would be maintained today.
"""
