"""SQL that lives in files: read once, next to the code that runs it."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import LiteralString


@cache
def statement(package: str, file: str) -> LiteralString:
    """Return the text of `file` in `package`.

    The file ships with the code, so it is as trustworthy as a literal in it.
    """
    return resources.files(package).joinpath(file).read_text("utf-8")
