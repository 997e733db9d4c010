from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import configuration, settings

from call_transfer import AsyncCallTransfer, CallTransfer

KEY = "svc_live_0123456789abcdef"

# The same inputs in each run, and nothing written beside the tests.
configuration.set_hypothesis_home_dir(Path(__file__).parents[3] / ".cache" / "hypothesis")
settings.register_profile("same", derandomize=True, max_examples=40, deadline=None)
settings.load_profile("same")

Action = Callable[[Any], Any]
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "BASE_URL", "LOG"):
        monkeypatch.delenv(f"CALL_TRANSFER_{name}", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["sync", "async"])
def mode(request: pytest.FixtureRequest) -> str:
    """Each test that uses it runs with both clients."""
    return str(request.param)


@pytest.fixture
def run(mode: str) -> Run:
    """Runs an action with a client of the mode, and returns its result. An awaitable result is awaited."""

    def run_with(url: str, action: Action, **options: Any) -> Any:
        if "access_token" not in options:
            options.setdefault("api_key", KEY)
        if mode == "sync":
            with CallTransfer(base_url=url, **options) as client:
                return action(client)

        async def run_async() -> Any:
            async with AsyncCallTransfer(base_url=url, **options) as client:
                return await resolved(action(client))

        return asyncio.run(run_async())

    return run_with


async def resolved(value: Any) -> Any:
    awaited: Awaitable[Any] | Any = value
    return await awaited if inspect.isawaitable(awaited) else awaited


def in_turn(*actions: Action) -> Action:
    """Does one after the other with the same client, and returns the results."""

    def act(client: Any) -> Any:
        async def act_async() -> Any:
            return [await resolved(action(client)) for action in actions]

        return [action(client) for action in actions] if isinstance(client, CallTransfer) else act_async()

    return act


def failure(kind: type[BaseException], action: Action) -> Action:
    """Does what fails, and returns its error."""

    def act(client: Any) -> Any:
        async def act_async() -> BaseException:
            with pytest.raises(kind) as caught:
                await action(client)
            return caught.value

        if isinstance(client, AsyncCallTransfer):
            return act_async()
        with pytest.raises(kind) as caught:
            action(client)
        return caught.value

    return act


def place(client: Any, **options: Any) -> Any:
    """Places a call."""
    given = {"options": options} if options else {}
    return client.calls.create(flow_id="f-1", from_number="+15550100001", to_number="+15550200001", **given)


def in_child(work: Callable[[], object]) -> Callable[[], Any]:
    """Starts work in a forked process. Returns a function that waits for its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = work()
        except BaseException as error:
            result = repr(error)
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)

    def wait() -> Any:
        with os.fdopen(reading) as pipe:
            result = json.load(pipe)
        os.waitpid(child, 0)
        return result

    return wait
