from __future__ import annotations

import asyncio
import builtins
from dataclasses import fields
from importlib.metadata import version
from typing import Any

import anyio
import anyio.streams.tls
import httpcore2
import httpx2
import pytest
from servers import Server

import call_transfer


def test_every_public_name_is_there() -> None:
    names = dir(call_transfer)
    assert {"CallTransfer", "AsyncCallTransfer", "CallInitiated", "RateLimitError", "NOT_GIVEN"} <= set(names)
    for name in names:
        assert getattr(call_transfer, name) is not None


def test_everything_can_be_imported_without_hiding_python_s_own_errors() -> None:
    names: dict[str, object] = {}
    exec("from call_transfer import *", names)
    assert "CallTransfer" in names
    assert {name for name in names if name in vars(builtins)} == set()
    assert issubclass(call_transfer.TimeoutError, call_transfer.RequestError)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        getattr(call_transfer, "unknown")  # noqa: B009


def test_the_private_names_that_are_read_are_those_of_these_versions() -> None:
    """`_holds_more` and `_hook_of` read them. With another major version, look whether it offers them in public."""
    majors = {name: version(name).split(".")[0] for name in ("anyio", "httpcore2", "httpx2")}
    assert majors == {"anyio": "4", "httpcore2": "2", "httpx2": "2"}

    async def kinds(port: int) -> list[str]:
        stream: Any = await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", port)
        inner = stream._stream
        await stream.aclose()
        return [type(one).__name__ for one in (stream, inner, inner._protocol, inner._protocol.read_queue)]

    with Server() as server:
        assert asyncio.run(kinds(int(server.url.rpartition(":")[2]))) == ["AnyIOStream", "SocketStream", "StreamProtocol", "deque"]
    assert "transport_stream" in {one.name for one in fields(anyio.streams.tls.TLSStream)}
    for kind in (httpx2.Client, httpx2.AsyncClient):
        assert "response" in kind._send_handling_redirects.__code__.co_varnames
