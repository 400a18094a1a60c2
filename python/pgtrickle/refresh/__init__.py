"""One refresh is one transaction."""
