"""A process that is forked while a client is in use. Over real sockets."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from conftest import KEY, in_child
from servers import Request, Server, problem, respond
from webhooks.virtual import SECRET, MemoryStore, signed

from call_transfer import CallTransfer, ConfigurationError
from call_transfer.webhooks import WebhookHandler, WebhookResponse

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    # What Python 3.12 says of a fork beside threads is what these tests are about.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


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


@pytest.mark.parametrize("held", ["running", "late"])
def test_a_process_that_is_forked_while_its_parent_holds_all_steps_of_the_store_has_its_own(held: str) -> None:
    begun, may_end = threading.Event(), threading.Event()
    parent = os.getpid()

    class Hanging(MemoryStore):
        max_concurrency = 1

        def claim(self, *given: Any) -> Any:
            if os.getpid() == parent:
                begun.set()
                assert may_end.wait(60)
            return super().claim(*given)

    codes: list[str] = []
    # A step that is late no longer holds its place, but counts until it ends.
    options: Any = {
        "store_timeout": 60 if held == "running" else 0.01,
        "duplicate_wait": 1,
        "on_error": lambda _, code: codes.append(code),
    }
    handler = WebhookHandler(secret=SECRET, on_event=lambda event: None, store=Hanging(), **options)
    steps = handler._core._coordinator.steps
    steps._in_time._max_late = 1

    def handle_another() -> list[str]:
        # The time of the parent's steps would be short for a child on a busy machine.
        steps._limit, steps._max_wait = 60, 1
        handler.handle(*signed("2"))
        return codes

    with ThreadPoolExecutor(1) as pool, ExitStack() as ending:
        ending.callback(may_end.set)
        first = pool.submit(handler.handle, *signed())
        assert begun.wait(60)
        if held == "late":
            assert first.result(60).status == 204
            codes.clear()
        assert in_child(handle_another)() == []


def test_a_process_that_is_forked_while_its_parent_handles_an_event_handles_it_itself() -> None:
    begun, may_end = threading.Event(), threading.Event()
    parent = os.getpid()

    def on_event(event: Any) -> WebhookResponse:
        if os.getpid() == parent:
            begun.set()
            assert may_end.wait(60)
        return WebhookResponse(200, str(os.getpid()))

    handler = WebhookHandler(secret=SECRET, on_event=on_event, duplicate_wait=1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(handler.handle, *signed())
        assert begun.wait(60)
        assert in_child(lambda: handler.handle(*signed()).status)() == 200
        may_end.set()
        assert first.result().body == str(parent).encode()
