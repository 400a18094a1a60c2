"""The demonstration runs to its end and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pgtrickle.cli.demo.shop import CHAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.pg

COMMAND = [sys.executable, "-c", "from pgtrickle.cli.main import app; app()", "demo"]


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that the server's account can reach; pytest closes its own to others whenever a session starts."""
    with tempfile.TemporaryDirectory(prefix="pgtrickle-demo-") as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


@pytest.mark.timeout(120)
def test_every_stream_table_of_the_demo_is_verified(open_directory: Path) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        [*COMMAND, "--seconds", "1"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(open_directory)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for definition in CHAIN:
        (line,) = (line for line in lines if line.startswith(f"{definition.name} "))
        assert line.endswith("verified")
        assert "DIFFERENTIAL" in line
    assert "temporary PostgreSQL 18" in lines[0]
    assert lines[-1].startswith("Next, ")
    assert done.stderr == ""
    assert list(open_directory.iterdir()) == []
