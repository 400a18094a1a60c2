"""The seed of a run: fresh each time, the same in all test processes, printed, and settable.

`PGTRICKLE_LAW_SEED` repeats a run, `PGTRICKLE_LAW_EXAMPLES` makes it longer or shorter.
"""

from __future__ import annotations

import hashlib
import os
import secrets

SEED = "PGTRICKLE_LAW_SEED"
EXAMPLES = "PGTRICKLE_LAW_EXAMPLES"
DEFAULT_EXAMPLES = 320


def run_seed() -> int:
    """Return the seed of this run."""
    if SEED not in os.environ:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex()
        digest = hashlib.sha256(run.encode()).digest()
        os.environ[SEED] = str(int.from_bytes(digest[:4], "big"))
    return int(os.environ[SEED])


def run_examples() -> int:
    """Return how many random cases a whole run draws."""
    return int(os.environ.get(EXAMPLES, DEFAULT_EXAMPLES))


def pytest_report_header() -> str:
    """Return the line that a conftest at the top shows; it also fixes the seed for all workers."""
    return f"law: {SEED}={run_seed()} {EXAMPLES}={run_examples()}"
