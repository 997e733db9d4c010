from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from call_transfer import CallTransfer, OutcomeUnknownError, ServerError
from call_transfer.testing import MockServer, MockServerError, Sandbox, SandboxOptions, demo, open_sandbox
from call_transfer.webhooks import AsyncWebhookHandler, WebhookHandler


def place(client: CallTransfer) -> str:
    numbers = demo.numbers.working, demo.recipients.anyone
    return client.calls.create(flow_id=demo.flows.published, from_number=numbers[0], to_number=numbers[1]).type


def statuses(sandbox: Sandbox) -> list[int]:
    return [one["status"] for one in sandbox.requests()]


def test_the_async_client_does_the_same(call_transfer: Sandbox) -> None:
    async def read() -> int:
        async with call_transfer.async_client() as client:
            return len((await client.roles.list()).roles)

    call_transfer.add_fault("listRoles rateLimit 30s")
    assert asyncio.run(read()) == 4
    assert statuses(call_transfer) == [429, 200]


def test_the_time_of_what_is_due_next_can_be_reached(call_transfer: Sandbox) -> None:
    before = call_transfer.now()
    assert [event["type"] for event in call_transfer.advance_to_next()] == ["availability.ended"]
    assert call_transfer.now() - before == 15 * 60


@pytest.mark.call_transfer(faults=["listRoles 503 always"])
def test_faults_can_be_there_from_the_start_and_be_removed(call_transfer: Sandbox) -> None:
    with pytest.raises(ServerError):
        call_transfer.client().roles.list()
    call_transfer.clear_faults()
    assert call_transfer.client().roles.list().roles


def test_a_lost_placement_is_found_after_the_clock_was_moved(call_transfer: Sandbox) -> None:
    client = call_transfer.client()
    place(client)
    call_transfer.advance(3600)
    call_transfer.add_fault("createCall process_then_reset")
    with pytest.raises(OutcomeUnknownError) as lost:
        place(client)
    found = lost.value.reconcile()
    assert (len(found.candidates), found.complete) == (1, True)


def accept(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    size = int(environ["CONTENT_LENGTH"])
    refused = b"decline" in environ["wsgi.input"].read(size) or "HTTP_SERVICE_SIGNATURE" not in environ
    start_response("409 Conflict" if refused else "204 No Content", [])
    return [b"queue full" if refused else b""]


async def accept_async(scope: Any, receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
    body = (await receive())["body"]
    names = [name for name, _ in scope["headers"]]
    refused = b"decline" in body or b"service-signature" not in names
    await send({"type": "http.response.start", "status": 409 if refused else 204, "headers": []})
    await send({"type": "http.response.body", "body": b"queue full" if refused else b""})


@pytest.mark.parametrize("receiver", [accept, accept_async])
def test_webhooks_reach_an_application(call_transfer: Sandbox, receiver: Any) -> None:
    call_transfer.forward_webhooks_to(receiver)
    delivery = call_transfer.trigger_offer()
    assert (delivery.get("status"), delivery["accepted"]) == (204, True)
    refused = call_transfer.trigger_offer(note="decline")
    assert refused["response"]["status"] == 409
    assert (refused["response"].get("body"), refused["response"]["truncated"]) == ("queue full", False)
    assert call_transfer.redeliver(delivery["id"]).get("redeliveryOf") == delivery["id"]
    assert len(call_transfer.deliveries()) == 3


@pytest.mark.parametrize("kind", [WebhookHandler, AsyncWebhookHandler])
def test_a_receiver_that_webhooks_reach_withstands_an_attack(call_transfer: Sandbox, pytestconfig: pytest.Config, kind: Any) -> None:
    call_transfer.forward_webhooks_to(kind(secret=demo.signing_secret, on_event=lambda event: None, on_error=lambda error, code: None))
    url = next(one["config"]["url"] for one in call_transfer.records("destinations") if one["id"] == demo.destinations.app)
    command = shlex.split(pytestconfig.getini("call_transfer_mock_command"))
    attack = subprocess.run(
        [*command, "attack", url, "--secret", demo.signing_secret, "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=pytestconfig.rootpath,
    )
    assert attack.returncode == 0, attack.stdout + attack.stderr
    assert json.loads(attack.stdout)["findings"] == []


def test_an_unknown_transfer_is_named(call_transfer: Sandbox) -> None:
    with pytest.raises(MockServerError, match=r"There is no transfer a&b\. start_transfer\(\) returns"):
        call_transfer.get_transfer("a&b")


def test_sandboxes_share_nothing_and_end(call_transfer_server: MockServer, call_transfer: Sandbox) -> None:
    with open_sandbox(server=call_transfer_server) as other:
        place(other.client())
        assert other.client().calls.list().first_page().meta.total == 4
        assert call_transfer.client().calls.list().first_page().meta.total == 3
    assert httpx2.get(f"{other.base_url}/api/v1/roles", headers={"authorization": f"Bearer {other.api_key}"}).status_code == 404


def test_a_sandbox_without_demo_data_has_no_credentials(call_transfer_server: MockServer) -> None:
    with open_sandbox(server=call_transfer_server, seed={}) as empty:
        assert (empty.account_id, empty.api_key) == ("", "")


def test_a_wrong_option_is_refused_by_name(call_transfer_server: MockServer) -> None:
    options: SandboxOptions = {"policies": {"dailyCallLimt": 0}}
    with pytest.raises(MockServerError, match="dailyCallLimt") as refused:
        open_sandbox(server=call_transfer_server, **options)
    # What is wrong, without the JSON around it.
    assert "{" not in str(refused.value)


def test_the_server_ends_with_the_process_that_started_it(pytestconfig: pytest.Config) -> None:
    program = "import sys; from call_transfer.testing import MockServer; server = MockServer.start(sys.argv[1]); print(server._pid)"
    command = str(pytestconfig.getini("call_transfer_mock_command"))
    ended = subprocess.run([sys.executable, "-c", program, command], stdout=subprocess.PIPE, text=True, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)


def test_a_server_that_was_killed_can_be_stopped(pytestconfig: pytest.Config) -> None:
    server = MockServer.start(str(pytestconfig.getini("call_transfer_mock_command")))
    assert server._pid is not None
    os.kill(server._pid, signal.SIGKILL)
    server.stop()
    server.stop()


def test_a_server_with_a_control_token_is_controlled_by_its_variable(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALL_TRANSFER_CONTROL_TOKEN", "secret-of-the-control-plane")
    command = f"{pytestconfig.getini('call_transfer_mock_command')} --control-token secret-of-the-control-plane"
    server = MockServer.start(command)
    try:
        assert server.control("GET", "/clock")["mode"] == "frozen"
    finally:
        server.stop()


ENDING = [sys.executable, "-c", "import sys; print('no server here', file=sys.stderr); sys.exit(3)"]


@pytest.mark.parametrize(
    ("open_server", "message"),
    [
        (lambda: MockServer.start("no-such-program --option"), "no-such-program was not found. Install Node 20 or newer"),
        (lambda: MockServer.start(ENDING), r"ended with status 3: .*\nno server here"),
        (lambda: MockServer.connect("http://127.0.0.1:9/"), r"No mock server answers at http://127\.0\.0\.1:9: "),
    ],
    ids=["no program", "one that ends", "no server"],
)
def test_a_server_that_is_not_there_is_named(open_server: Callable[[], MockServer], message: str) -> None:
    with pytest.raises(MockServerError, match=message):
        open_server()


FAILING = """
from call_transfer.testing import Sandbox, demo

def test_fails(call_transfer: Sandbox) -> None:
    call_transfer.add_fault("listRoles 503")
    call_transfer.client().roles.list()
    call_transfer.forward_webhooks_to("http://user:secret@127.0.0.1:9/offers?token=secret")
    call_transfer.trigger_offer()
    assert False
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    pytester.makeconftest('pytest_plugins = ["call_transfer._pytest_plugin"]')
    return pytester


def test_a_failed_test_shows_its_requests_and_webhooks(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, call_transfer_server: MockServer
) -> None:
    monkeypatch.setenv("CALL_TRANSFER_MOCK_URL", call_transfer_server.url)
    inner.makepyfile(FAILING)
    result = inner.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- call-transfer -*",
            "Requests: 2",
            "  12:00:00.000  GET /api/v1/roles → 503 service_unavailable (fault-1)",
            "  12:00:*  GET /api/v1/roles → 200",
            "Webhooks: 1",
            "  12:00:*  to 127.0.0.1:9/offers → no answer",
        ]
    )
    shown = result.stdout.str()
    assert "secret" not in shown[shown.index("- call-transfer -") :]


def test_a_server_that_cannot_be_started_is_said_once_and_plainly(inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALL_TRANSFER_MOCK_URL", raising=False)
    inner.makepyfile(FAILING)
    inner.makeini("[pytest]\ncall_transfer_mock_command = no-such-program")
    result = inner.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["no-such-program was not found. Install Node 20 or newer, or set CALL_TRANSFER_MOCK_URL*"])
