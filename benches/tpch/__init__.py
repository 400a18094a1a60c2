"""TPC-H: the 22 queries refreshed from changes, against a full refresh and the bare query, in one run."""
