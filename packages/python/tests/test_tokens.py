"""Access tokens, and their renewal: once for a crowd of threads or tasks."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Run
from servers import Request, Server, problem, respond

from call_transfer import AsyncCallTransfer, AuthenticationError, CallTransfer, ConfigurationError, RequestError, TimeoutError
from call_transfer._auth import Auth, Credential, RenewalTimeout
from call_transfer._generated.operations import DEFAULT_TIMEOUT
from call_transfer._redact import Secret

ROLES = respond(200, {"roles": []})


def by_token(valid: str) -> Any:
    """Accepts one token."""

    def answer(connection: Any, request: Request, stop: threading.Event) -> None:
        given = request.headers["authorization"]
        (ROLES if given == f"Bearer {valid}" else problem(401, "token_expired"))(connection, request, stop)

    return answer


class Tokens:
    """Hands out `old-token`, and `new-token` after a renewal."""

    def __init__(self, renewed: str = "new-token") -> None:
        self.calls: list[bool] = []
        self.renewed = renewed
        self.token = "old-token"

    def __call__(self, *, force_refresh: bool) -> str:
        self.calls.append(force_refresh)
        if force_refresh:
            self.token = self.renewed
        return self.token


def list_roles(client: Any) -> Any:
    return client.roles.list(options={"account_id": "a-1"})


def test_an_expired_token_is_renewed_once(run: Run) -> None:
    tokens = Tokens()
    with Server(by_token("new-token")) as server:
        run(server.url, list_roles, access_token=tokens)
    assert tokens.calls == [False, True]
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer old-token", "Bearer new-token"]


def test_a_token_that_stays_expired_is_not_renewed_again(run: Run) -> None:
    tokens = Tokens("also-expired")
    with Server(by_token("new-token")) as server, pytest.raises(AuthenticationError):
        run(server.url, list_roles, access_token=tokens)
    assert tokens.calls == [False, True]
    assert len(server.requests) == 2


def test_a_crowd_of_threads_shares_a_renewal() -> None:
    tokens = Tokens()
    crowd, together = 16, threading.Barrier(16)
    server = Server(by_token("new-token"))
    real = server.answers[0]

    def wait_for_all(connection: Any, request: Request, stop: threading.Event) -> None:
        if request.headers["authorization"] == "Bearer old-token":
            together.wait(300)
        real(connection, request, stop)

    server.answers = [wait_for_all]
    with server, CallTransfer(base_url=server.url, access_token=tokens) as client, ThreadPoolExecutor(crowd) as pool:
        list(pool.map(list_roles, [client] * crowd))
    assert tokens.calls.count(True) == 1
    assert len(server.requests) == 2 * crowd


def test_a_crowd_of_tasks_shares_a_renewal_that_one_of_them_gives_up() -> None:
    calls: list[bool] = []

    async def crowd(url: str) -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def token(*, force_refresh: bool) -> str:
            calls.append(force_refresh)
            if not force_refresh:
                return "old-token"
            begun.set()
            await go.wait()
            return "new-token"

        async with AsyncCallTransfer(base_url=url, access_token=token) as client:
            tasks = [asyncio.ensure_future(list_roles(client)) for _ in range(16)]
            await begun.wait()
            tasks[0].cancel()
            go.set()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert all(result.roles == [] for result in results[1:] if not isinstance(result, BaseException))
        assert sum(isinstance(result, BaseException) for result in results) == 1
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with Server(by_token("new-token")) as server:
        asyncio.run(crowd(server.url))
    assert calls.count(True) == 1


def test_a_token_function_that_hangs_ends_with_the_timeout() -> None:
    async def token(*, force_refresh: bool) -> str:
        await asyncio.Event().wait()
        return ""

    async def ask(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, access_token=token, timeout=0.1) as client:
            await list_roles(client)

    with Server(ROLES) as server, pytest.raises(TimeoutError, match="the access_token function has not returned") as caught:
        asyncio.run(ask(server.url))
    assert caught.value.outcome == "not_sent"
    assert server.requests == []


def test_what_a_token_function_raises_is_the_cause(run: Run) -> None:
    def token(*, force_refresh: bool) -> str:
        raise LookupError("no session")

    with Server(ROLES) as server, pytest.raises(RequestError, match="the access_token function raised: no session") as caught:
        run(server.url, list_roles, access_token=token)
    assert isinstance(caught.value.__cause__, LookupError)
    assert (caught.value.outcome, server.requests) == ("not_sent", [])


def test_what_is_no_token_is_never_sent_or_shown(run: Run) -> None:
    with Server(ROLES) as server, pytest.raises(ConfigurationError) as caught:
        run(server.url, list_roles, access_token=lambda force_refresh: "secret\r\nx-evil: 1")
    assert "secret" not in str(caught.value)
    assert server.requests == []


def test_a_renewal_that_hangs_is_given_up_after_the_time_of_an_attempt() -> None:
    calls: list[bool] = []

    async def token(*, force_refresh: bool) -> str:
        calls.append(force_refresh)
        if len(calls) == 1:
            await asyncio.Event().wait()
        return "new-token"

    async def renew() -> None:
        auth, expired = Auth("access_token", token), Credential(Secret("old-token"), 0)
        with pytest.raises(RenewalTimeout):
            await auth.renew_async(expired, 0.0, 0.01)
        with pytest.raises(RenewalTimeout):
            await auth.renew_async(expired, DEFAULT_TIMEOUT - 1, 0.01)
        renewed = await auth.renew_async(expired, DEFAULT_TIMEOUT, 10.0)
        assert renewed is not None
        assert renewed.token.reveal() == "new-token"
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(renew())
    assert calls == [True, True]


def test_a_thread_gives_up_a_renewal_that_hangs_after_the_time_of_an_attempt() -> None:
    go, begun = threading.Event(), threading.Event()

    def token(*, force_refresh: bool) -> str:
        if not begun.is_set():
            begun.set()
            go.wait(300)
            return "late-token"
        return "new-token"

    auth, expired = Auth("access_token", token), Credential(Secret("old-token"), 0)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(auth.renew, expired, 0.0, 20.0)
        assert begun.wait(300)
        renewed = auth.renew(expired, DEFAULT_TIMEOUT, 20.0)
        go.set()
        late = first.result()
    assert renewed is not None
    assert late is not None
    assert (renewed.token.reveal(), late.token.reveal()) == ("new-token", "late-token")


def test_a_token_function_whose_own_task_is_cancelled_does_not_cancel_the_request() -> None:
    async def token(*, force_refresh: bool) -> str:
        waiting: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        waiting.cancel()
        return await waiting

    async def ask(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, access_token=token) as client:
            await list_roles(client)

    with Server(ROLES) as server, pytest.raises(RequestError, match="what it awaits was cancelled") as caught:
        asyncio.run(ask(server.url))
    assert (caught.value.outcome, server.requests) == ("not_sent", [])
