"""The recipe benchmark: nine queries over 100,000 rows, maintained by pgtrickle and by hand-written SQL in one run."""
