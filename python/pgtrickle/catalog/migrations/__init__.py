"""Numbered migrations of the catalog, applied in order by `pgtrickle.catalog.migrate`."""
