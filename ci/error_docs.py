"""Writes docs/errors.md from the classes in errors.py.

Run it to write the file; with `--check` it fails when the file is stale.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from pgtrickle import errors

FILE = Path(__file__).resolve().parent.parent / "docs" / "errors.md"

HEAD = """# Errors

Every error that pgtrickle raises on purpose is a `PgtrickleError` with a stable `code`, a message, and where they help a
`detail` and a `hint`. No message holds a row's values. *Retryable* means that the same call may succeed when repeated;
refreshes repeat by themselves a few times before they raise.

A query that has no differential form raises `UnsupportedQueryError`, or with refresh mode AUTO becomes a warning and
a full refresh; each construct has a code of its own between PGT201 and PGT299, and the message names it.

This file is written by `ci/error_docs.py`.

| code | class | what happened | retryable |
|---|---|---|---|
"""


def error_classes() -> list[type[errors.PgtrickleError]]:
    """Return the classes of the error tree, by code."""
    found = [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, errors.PgtrickleError)
    ]
    return sorted(found, key=lambda each: each.code)


def document() -> str:
    """Return the text of the file."""
    return HEAD + "".join(f"{_row(each)}\n" for each in error_classes())


def _row(each: type[errors.PgtrickleError]) -> str:
    said = inspect.cleandoc(each.__doc__ or "").splitlines()[0].replace("|", r"\|")
    return f"| {each.code} | `{each.__name__}` | {said} | {'yes' if each.retryable else 'no'} |"


def main(arguments: list[str]) -> int:
    """Write the file, or with --check compare it; return the exit status."""
    if "--check" not in arguments:
        FILE.write_text(document(), encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") == document():
        return 0
    print(f"{FILE} is stale: run python ci/error_docs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
