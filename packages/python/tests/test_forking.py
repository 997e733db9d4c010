"""A process that is forked while a client is in use. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from conftest import KEY, place
from servers import Request, Server, hang_up, problem, respond

from call_transfer import AsyncCallTransfer, CallTransfer, ConfigurationError, OutcomeUnknownError
from call_transfer import TimeoutError as CallTimeout

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    # What Python 3.12 says of a fork beside threads is what these tests are about.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


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


def test_a_child_does_not_share_a_connection_with_its_parent() -> None:
    both, turn = threading.Event(), threading.Lock()

    def who(connection: Any, request: Request, stop: threading.Event) -> None:
        """Answers who asked. The requests of parent and child are open at the same time."""
        name = request.target.split("/")[-2]
        if name != "first":
            with turn:
                if len([one for one in server.requests if "first" not in one.target]) == 2:
                    both.set()
            both.wait(300)
        respond(200, {"memberId": name, "userId": "u", "status": "away", "busy": False})(connection, request, stop)

    with Server(who) as server, CallTransfer(base_url=server.url, api_key=KEY) as client:

        def ask(name: str) -> str:
            return client.members.get_availability(name, options={"timeout": 20}).member_id

        ask("first")
        child = in_child(lambda: ask("child"))
        assert ask("parent") == "parent"
        assert child() == "child"
        # The child's end of the first connection closed nothing of the parent's.
        assert (len(server.requests), server.connections) == (3, 2)


def test_a_child_does_not_wait_for_a_renewal_of_its_parent() -> None:
    begun, go = threading.Event(), threading.Event()
    parent = os.getpid()

    def token(*, force_refresh: bool) -> str:
        if not force_refresh:
            return "old-token"
        if os.getpid() == parent:
            begun.set()
            go.wait(300)
        return "new-token"

    def by_token(connection: Any, request: Request, stop: threading.Event) -> None:
        is_new = request.headers["authorization"] == "Bearer new-token"
        (respond(200, {"roles": []}) if is_new else problem(401, "token_expired"))(connection, request, stop)

    with Server(by_token) as server, CallTransfer(base_url=server.url, access_token=token, account_id="a") as client:
        thread = threading.Thread(target=client.roles.list)
        thread.start()
        assert begun.wait(300)
        child = in_child(lambda: len(client.roles.list(options={"timeout": 5}).roles))
        try:
            assert child() == 0
        finally:
            go.set()
            thread.join()


AVAILABLE = respond(200, {"memberId": "m", "userId": "u", "status": "away", "busy": False})


def ask_with(client: CallTransfer) -> str:
    try:
        return client.members.get_availability("m").member_id
    except ConfigurationError as error:
        return str(error)


REFUSED = "http_client was used by another process before the fork. Create one in each process."


def test_an_http_client_that_the_parent_used_is_refused_in_a_child() -> None:
    with Server(AVAILABLE) as server, httpx2.Client() as http, httpx2.Client() as unused:
        client = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
        fresh = CallTransfer(base_url=server.url, api_key=KEY, http_client=unused)
        assert ask_with(client) == "m"

        def ask_all() -> list[str]:
            other = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
            grandchild = in_child(lambda: ask_with(client))
            return [ask_with(client), ask_with(client.with_options(timeout=5)), ask_with(other), grandchild(), ask_with(fresh)]

        assert in_child(ask_all)() == [REFUSED, REFUSED, REFUSED, REFUSED, "m"]
        assert (ask_with(client), ask_with(fresh)) == ("m", "m")


def test_an_async_http_client_that_the_parent_used_is_refused_in_a_child() -> None:
    async def ask() -> str:
        try:
            return (await client.members.get_availability("m")).member_id
        except ConfigurationError as error:
            return str(error)

    body = {"memberId": "m", "userId": "u", "status": "away", "busy": False}
    with Server(respond(200, body, {"connection": "close"})) as server:
        client = AsyncCallTransfer(base_url=server.url, api_key=KEY, http_client=httpx2.AsyncClient())

        assert (asyncio.run(ask()), in_child(lambda: asyncio.run(ask()))()) == ("m", REFUSED)


OPEN = "http_client has an open connection that may be the parent process's. Create one after the fork, for this client alone."


def test_a_connection_that_the_parent_opened_itself_is_not_used_in_a_child() -> None:
    with Server(AVAILABLE) as server, httpx2.Client() as http:
        before = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
        http.get(server.url)

        def ask_all() -> list[str]:
            other = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
            # Not even on a connection of its own after the refusal.
            return [ask_with(other), ask_with(before), ask_with(other)]

        assert in_child(ask_all)() == [OPEN, REFUSED, REFUSED]
        assert len(server.requests) == 1
        # The parent goes on.
        assert ask_with(before) == "m"
        assert (len(server.requests), server.connections) == (2, 1)


def test_placements_that_are_refused_in_a_child_were_not_sent() -> None:
    with Server(respond(200, {})) as server, httpx2.Client() as http:
        http.get(server.url)

        def place_many() -> list[str]:
            client = CallTransfer(base_url=server.url, api_key=KEY, http_client=http, max_retries=3)
            together = threading.Barrier(8)

            def place_one(_: int) -> str:
                together.wait(60)
                with pytest.raises(ConfigurationError) as caught:
                    place(client)
                return caught.value.option

            with ThreadPoolExecutor(8) as threads:
                return list(threads.map(place_one, range(8)))

        assert in_child(place_many)() == ["http_client"] * 8
        assert [one.method for one in server.requests] == ["GET"]


def test_a_first_request_of_a_child_that_hangs_takes_no_longer_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo

    def hang(host: str, *given: Any, **named: Any) -> Any:
        begun.set()
        go.wait(60)
        return resolve("127.0.0.1", *given, **named)

    begun, go = threading.Event(), threading.Event()
    with Server(AVAILABLE) as server, httpx2.Client() as http:
        client = CallTransfer(base_url=server.url.replace("127.0.0.1", "localhost"), api_key=KEY, http_client=http)

        def ask_twice() -> list[Any]:
            monkeypatch.setattr(socket, "getaddrinfo", hang)
            with ThreadPoolExecutor(1) as thread:
                first = thread.submit(ask_with, client)
                begun.wait(60)
                with pytest.raises(CallTimeout) as caught:
                    place(client, total_timeout=0.2)
                go.set()
                return [caught.value.outcome, first.result()]

        assert in_child(ask_twice)() == ["not_sent", "m"]


def test_a_connection_of_an_async_client_that_the_parent_opened_itself_is_not_used_in_a_child() -> None:
    async def ask(http: httpx2.AsyncClient) -> str:
        try:
            return (await AsyncCallTransfer(base_url=server.url, api_key=KEY, http_client=http).roles.list()).model_dump_json()
        except ConfigurationError as error:
            return str(error)

    async def in_both() -> tuple[str, int]:
        async with httpx2.AsyncClient() as http:
            await http.get(server.url)
            refused = in_child(lambda: asyncio.run(ask(http)))()
            return refused, (await http.get(server.url)).status_code

    with Server(respond(200, {"roles": []})) as server:
        assert asyncio.run(in_both()) == (OPEN, 200)
        assert [one.target for one in server.requests] == ["/", "/"]


def test_a_client_that_has_no_connection_to_the_api_is_used_in_a_child() -> None:
    """Also by many threads at once, which share one connection, and again in a child of the child."""
    with Server(AVAILABLE) as server, Server(respond(200)) as elsewhere:
        with httpx2.Client(limits=httpx2.Limits(max_connections=1)) as http:
            http.get(elsewhere.url)

            def ask_all() -> list[str]:
                client = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
                with ThreadPoolExecutor(8) as threads:
                    answers = list(threads.map(lambda _: ask_with(client), range(8)))
                return [*answers, in_child(lambda: ask_with(client))()]

            assert in_child(ask_all)() == [*["m"] * 8, REFUSED]
        assert server.connections == 1


def test_a_client_that_was_opened_in_the_process_that_uses_it_is_used() -> None:
    with Server(AVAILABLE) as server, httpx2.Client() as http:
        http.get(server.url)
        assert ask_with(CallTransfer(base_url=server.url, api_key=KEY, http_client=http)) == "m"
        assert server.connections == 1


def test_looking_for_a_result_in_a_child_does_not_use_the_client_of_the_parent() -> None:
    with Server(hang_up, respond(200, {"calls": [], "meta": {"total": 0}})) as server, httpx2.Client() as http:
        with pytest.raises(OutcomeUnknownError) as caught:
            place(CallTransfer(base_url=server.url, api_key=KEY, http_client=http))

        def look() -> str:
            try:
                return caught.value.reconcile().reason
            except ConfigurationError as error:
                return str(error)

        assert in_child(look)() == REFUSED
        assert look() == "server_time_unknown"
