"""The pgtrickle data source for PySpark."""

__version__ = "0.1.0"
