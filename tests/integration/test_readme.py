"""The quick starts of the README run as they are written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from pgtrickle import embedded

pytestmark = pytest.mark.pg

README = Path(__file__).resolve().parents[2] / "README.md"
VARIABLES = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}


def block(language: str) -> str:
    """Return the one fenced block of the README in `language`."""
    text = README.read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(found)


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a new user: our programs first, no server named."""
    ours = (str(Path(sys.executable).parent), str(embedded.bundled().path))
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "PYTEST"))
    }
    return kept | {"PATH": os.pathsep.join((*ours, os.environ["PATH"]))} | more


def run(command: list[str], text: str, variables: dict[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - our own README
        command, input=text, check=False, capture_output=True, text=True, env=variables
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.timeout(120)
def test_the_quick_start_in_python_runs() -> None:
    text = block("python")
    assert len(text.splitlines()) <= 25
    lines = run([sys.executable, "-W", "error", "-"], text, environment()).splitlines()
    promised = re.findall(r"print\(.*\)\s+# (.+)", text)
    assert promised == ["DIFFERENTIAL 3", "True"]
    assert lines[:2] == promised
    assert "r0" in lines[2]


@pytest.mark.timeout(120)
def test_the_quick_start_on_the_command_line_runs(dsn: str) -> None:
    where = {VARIABLES[name]: str(value) for name, value in conninfo_to_dict(dsn).items()}
    text = block("bash")
    assert len([line for line in text.splitlines() if line]) <= 20
    said = run(["bash", "-euo", "pipefail", "-s"], text, environment(**where))
    assert "DIFFERENTIAL" in said
    assert "verified" in said
    assert "uninstalled" in said
