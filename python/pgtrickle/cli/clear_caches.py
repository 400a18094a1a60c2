"""`pgtrickle clear-caches`: forget what was compiled."""

from pgtrickle.cli.console import say
from pgtrickle.cli.door import connected
from pgtrickle.cli.options import Dsn


def clear_caches(*, dsn: Dsn = None) -> None:
    """Forget the compiled plans in the catalog; each is compiled again when it is needed."""
    with connected(dsn) as client:
        client.clear_caches()
        say("cleared: plans are compiled again when they are needed")
