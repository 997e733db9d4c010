"""JSON of unknown shape."""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeGuard

from ._interrupt import let_through


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Returns whether a parsed value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Returns whether a parsed value is a JSON array."""
    return isinstance(value, list)


def reject_constant(name: str) -> NoReturn:
    """Rejects NaN and Infinity, which only Python's parser takes."""
    raise ValueError(f"{name} is no JSON")


def parse_json(text: str | None) -> Any:
    """Returns None for anything but JSON, and for null."""
    try:
        return json.loads(text or "", parse_constant=reject_constant)
    except (ValueError, RecursionError) as error:
        let_through(error)
        return None


def is_deep(value: object, levels: int = 64) -> bool:
    """Returns whether a value nests deeper than 64 levels. What logs or pickles it recurses that deep."""
    if not is_object(value) and not is_list(value):
        return False
    parts = value.values() if is_object(value) else value
    return levels < 1 or any(is_deep(part, levels - 1) for part in parts)


def parse_object(text: str | None) -> dict[str, Any] | None:
    """Returns None for anything but a JSON object."""
    value = parse_json(text) if text else None
    return value if is_object(value) else None
