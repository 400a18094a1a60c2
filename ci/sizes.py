"""Refuses files over 400 lines and Python functions over 60.

A file that grows splits along a concept. Rust functions are counted by clippy
(`too-many-lines-threshold`), which knows the language.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("python", "crates", "spark-connector", "tests", "ci", "benches")
SUFFIXES = (".py", ".pyi", ".rs")
FILE_LINES = 400
FUNCTION_LINES = 60


def sources(root: Path) -> Iterator[Path]:
    """Yield the checked files below `root`, in a stable order."""
    for folder in FOLDERS:
        files = (root / folder).rglob("*")
        yield from sorted(file for file in files if file.suffix in SUFFIXES and file.is_file())


def long_functions(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield line, name and length of each function that is too long."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield node.lineno, node.name, length


def complaints(file: Path) -> Iterator[str]:
    """Yield what is too large in `file`, each with its place."""
    text = file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{file}: {lines} lines, at most {FILE_LINES}"
    if file.suffix == ".py":
        for line, name, length in long_functions(text):
            yield f"{file}:{line}: {name} has {length} lines, at most {FUNCTION_LINES}"


def main(root: Path) -> int:
    """Print every complaint and return the exit status."""
    found = [complaint for file in sources(root) for complaint in complaints(file)]
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(ROOT))
