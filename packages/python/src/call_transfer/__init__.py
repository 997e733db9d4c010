"""Python client of the call-transfer API."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._errors import CallTransferError

# Modules are loaded when a name of theirs is first used (PEP 562), so that an import of the package costs little.
_MODULES = {
    "CallTransferError": "._errors",
}

__all__ = ["CallTransferError"]


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
