"""The client's values as JSON: keys are the fields' names, which are part of the interface."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum

import typer

from pgtrickle.dvm.schema import QualifiedName


def plain_value(value: object) -> object:
    """Return `value` as lists, dictionaries, strings, numbers and None."""
    match value:
        case Enum():
            return value.value
        case QualifiedName():
            return str(value)
        case datetime():
            return value.isoformat()
        case str() | bool() | int() | float() | None:
            return value
        case Mapping():
            return {str(key): plain_value(item) for key, item in value.items()}
        case Sequence():
            return [plain_value(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: plain_value(getattr(value, field.name)) for field in fields(value)}
        case _:
            raise TypeError(f"no JSON form for {type(value).__name__}")


def show_json(value: object) -> None:
    """Print `value` as JSON to stdout."""
    typer.echo(json.dumps(plain_value(value), indent=2, ensure_ascii=False))
