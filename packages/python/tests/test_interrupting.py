"""Cancellation, in asyncio."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from conftest import KEY, place
from servers import Request, Server, problem

from call_transfer import AbortError, AsyncCallTransfer, ConfigurationError, OutcomeUnknownError


class Silent:
    """Never answers, and says when a request arrived and when its connection was closed."""

    def __init__(self) -> None:
        self.arrived, self.closed = threading.Event(), threading.Event()

    def __call__(self, connection: Any, _request: Request, stop: threading.Event) -> None:
        self.arrived.set()
        connection.recv(1)
        self.closed.set()


async def begin(client: AsyncCallTransfer, silent: Silent) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.ensure_future(place(client))
    await asyncio.to_thread(silent.arrived.wait)
    return task


def test_a_cancelled_placement_says_that_its_outcome_is_unknown() -> None:
    silent = Silent()

    async def cancel(url: str) -> BaseException:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client:
            task = await begin(client, silent)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return caught.value

    with Server(silent) as server:
        stopped = asyncio.run(cancel(server.url))
        assert silent.closed.wait(300)
    assert isinstance(stopped.__cause__, OutcomeUnknownError)
    assert stopped.__cause__.outcome == "unknown"
    assert [attempt.error for attempt in stopped.__cause__.attempts] == ["aborted"]
    assert isinstance(stopped.__cause__.__cause__, AbortError)


def test_the_callers_own_timeout_is_one() -> None:
    silent = Silent()

    async def wait(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client, asyncio.timeout(None) as limit:
            task = await begin(client, silent)
            limit.reschedule(asyncio.get_running_loop().time())
            await task

    with Server(silent) as server, pytest.raises(TimeoutError):
        asyncio.run(wait(server.url))


def test_a_wait_before_a_retry_ends_at_once() -> None:
    waiting = asyncio.Event()

    async def cancel(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY, on_retry=lambda _: waiting.set()) as client:
            task = asyncio.ensure_future(client.roles.list())
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert isinstance(caught.value.__cause__, AbortError)
            assert caught.value.__cause__.outcome == "rejected"

    with Server(problem(429, "rate_limit_exceeded", {"retry-after": "50"})) as server:
        asyncio.run(cancel(server.url))
    assert len(server.requests) == 1


def test_a_client_belongs_to_one_loop() -> None:
    with Server(problem(404, "not_found", {"connection": "close"})) as server:
        client = AsyncCallTransfer(base_url=server.url, api_key=KEY)

        async def ask() -> None:
            await client.roles.list()

        with pytest.raises(Exception, match="404"):
            asyncio.run(ask())
        with pytest.raises(ConfigurationError, match="belongs to another event loop"):
            asyncio.run(ask())
