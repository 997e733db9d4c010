from __future__ import annotations

import builtins

import pytest

import call_transfer
from call_transfer._generated import errors, models


def test_every_public_name_is_there() -> None:
    names = dir(call_transfer)
    assert {"CallTransfer", "AsyncCallTransfer", "CallInitiated", "RateLimitError", "NOT_GIVEN"} <= set(names)
    for name in names:
        assert getattr(call_transfer, name) is not None


def test_every_generated_name_is_listed() -> None:
    assert set(models.__all__) | set(errors.__all__) <= set(dir(call_transfer))


def test_everything_can_be_imported_without_hiding_python_s_own_errors() -> None:
    names: dict[str, object] = {}
    exec("from call_transfer import *", names)
    assert "CallTransfer" in names
    assert {name for name in names if name in vars(builtins)} == set()
    assert issubclass(call_transfer.TimeoutError, call_transfer.RequestError)


def test_the_version_has_the_usual_name() -> None:
    assert call_transfer.__version__ == call_transfer.VERSION


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        getattr(call_transfer, "unknown")  # noqa: B009
