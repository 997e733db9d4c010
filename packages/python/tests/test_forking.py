"""A process that is forked while a client is in use. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from conftest import KEY, place
from servers import Request, Server, hang_up, problem, respond

from call_transfer import AsyncCallTransfer, CallTransfer, ConfigurationError, OutcomeUnknownError

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
