"""The mock platform of one test."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, NotRequired, Self, TypeAlias, TypedDict
from urllib.parse import quote

from typing_extensions import Unpack

from .._client import AsyncCallTransfer, CallTransfer
from ._app_server import WebhookTarget, serve
from ._demo import demo
from ._server import MockServer, MockServerError, shared_server

Fault: TypeAlias = str | Mapping[str, object]
"""A fault as a text, such as `createCall 503, 503, pass`, or as the JSON of the control plane."""

_YEAR = 365 * 86_400
_WIRE_NAMES = {"clock_mode": "clockMode", "random_seed": "randomSeed"}


class SandboxOptions(TypedDict, total=False):
    """How a sandbox starts."""

    seed: Mapping[str, object] | Literal["demo"]
    """Its data, in the format of a seed; the demo data by default."""
    now: str
    """Its first time, as an ISO 8601 time; 2026-03-02T12:00:00Z by default."""
    clock_mode: Literal["frozen", "running"]
    """Whether time passes by itself. A frozen clock, the default, moves when the test moves it."""
    random_seed: int
    """Seed of the IDs that it creates."""
    policies: Mapping[str, object]
    """Limits, and the behaviours that the specification leaves open, e.g. `{"dailyCallLimit": 0}`."""
    faults: Sequence[Fault]
    """Faults from the start."""


class AccountToken(TypedDict):
    """An access token with its account, as options of a client: `CallTransfer(base_url=…, **token)`."""

    access_token: str
    account_id: str


class Event(TypedDict):
    """What happened while time was moved. Other keys depend on the type."""

    at: str
    type: str
    id: NotRequired[str]


class RequestEntry(TypedDict):
    """A request that arrived, without its headers, query and body."""

    id: int
    at: str
    method: str
    path: str
    status: int
    """The status that was sent; 0 if a fault withheld the response."""
    operationId: NotRequired[str]
    code: NotRequired[str]
    fault: NotRequired[str]


class SignatureValue(TypedDict):
    """A signature, and whether the current or the previous secret made it."""

    value: str
    secret: str


class SignatureParts(TypedDict):
    """The signature header of a delivery, taken apart."""

    t: int
    v1: list[SignatureValue]


class DeliveryResponse(TypedDict):
    """What the endpoint answered. Credentials and signing secrets are replaced by `[redacted]`."""

    status: int
    headers: dict[str, str]
    contentType: NotRequired[str]
    body: NotRequired[str]
    """Up to 16 KiB; absent if it is empty or not text."""
    bodyBytes: int
    truncated: bool
    """Whether the body went on after `bodyBytes`, or broke off."""


class Delivery(TypedDict):
    """A webhook that was sent."""

    id: str
    destinationId: str
    at: str
    url: str
    headers: dict[str, str]
    body: str
    accepted: bool
    status: NotRequired[int]
    response: NotRequired[DeliveryResponse]
    signature: NotRequired[SignatureParts]
    error: NotRequired[str]
    redeliveryOf: NotRequired[str]


class ScriptEntry(TypedDict):
    """Who answers or declines a transfer, and after how many seconds."""

    destinationId: NotRequired[str]
    memberId: NotRequired[str]
    answerAfterSecs: NotRequired[float]
    declineAfterSecs: NotRequired[float]


class Ring(TypedDict):
    """A destination or member that rang."""

    destinationId: str
    memberId: NotRequired[str]
    kind: str
    startedAt: str
    endsAt: str
    outcome: str
    reason: NotRequired[str]


class Answerer(TypedDict):
    """Who answered a transfer."""

    destinationId: str
    memberId: NotRequired[str]


class Transfer(TypedDict):
    """A transfer of a call."""

    id: str
    status: Literal["ringing", "connected", "ended", "unanswered", "abandoned"]
    startedAt: str
    rings: list[Ring]
    answeredBy: NotRequired[Answerer]
    answeredAt: NotRequired[str]
    endedAt: NotRequired[str]


class Sandbox:
    """A mock platform with data, a clock, faults and webhooks of its own. It shares nothing with others.

    Everything beyond these functions is under `control()`. The server lists it at `/_control/v1/openapi.json`.
    """

    name: str
    base_url: str
    """Its address, for clients and for programs that you start."""
    api_key: str
    """A valid API key of the first account; empty if the seed has no account."""
    account_id: str
    """The first account; empty if the seed has none."""

    def __init__(self, server: MockServer, name_prefix: str, options: SandboxOptions) -> None:
        """Use `open_sandbox()`, or the fixture `call_transfer`."""
        self._server = server
        words = re.findall("[a-z0-9]+", name_prefix.lower()) or ["test"]
        # No other sandbox ever has this name, so that a late request cannot reach another test.
        self.name = f"{'-'.join(words)[:40]}-{str(uuid.uuid4())[:18]}"
        given: dict[str, Any] = {"clock_mode": "frozen", **options}
        faults: Sequence[Fault] = given.pop("faults", ())
        server.control(
            "POST", "/sandboxes", {"name": self.name, **{_WIRE_NAMES.get(name, name): value for name, value in given.items()}}
        )
        self.base_url = f"{server.url}/_sandbox/{self.name}"
        self._closing = ExitStack()
        self._closing.callback(server.control, "DELETE", f"/sandboxes/{self.name}")
        self._is_frozen = given["clock_mode"] == "frozen"
        self._moved = 0.0
        self._frozen_at: float | None = None
        for fault in faults:
            self.add_fault(fault)
        accounts = self.records("accounts")
        self.account_id = accounts[0]["id"] if accounts else ""
        self.api_key = self._find_key() if accounts else ""

    def _find_key(self) -> str:
        keys = (one for one in self.records("apiKeys") if one.get("accountId") == self.account_id and one.get("state") == "valid")
        found: dict[str, Any] | None = next(keys, None)
        key: str = (found or self.control("POST", "/credentials/api-keys", {"accountId": self.account_id}))["key"]
        return key

    def client(self, **options: Any) -> CallTransfer:
        """Returns a client with the sandbox's address and API key, or with the options of `CallTransfer` that you pass.

        While the sandbox's clock is frozen, a wait before a retry moves that clock, and takes no time.
        """
        client = CallTransfer(**self._client_options(options))
        self._closing.callback(client.close)
        if self._is_frozen:
            client._settings.clock, client._driver.sleep = _Clock(self), self.advance
        return client

    def async_client(self, **options: Any) -> AsyncCallTransfer:
        """Returns the same for asyncio: `async with sandbox.async_client() as client`."""
        client = AsyncCallTransfer(**self._client_options(options))
        if self._is_frozen:
            # In a thread, because a handler in this event loop may have to answer meanwhile.
            client._settings.clock = _Clock(self)
            client._driver.sleep = lambda seconds: asyncio.to_thread(self.advance, seconds)
        return client

    def _client_options(self, options: dict[str, Any]) -> dict[str, Any]:
        own = {"base_url": self.base_url}
        if "api_key" not in options and "access_token" not in options:
            own["api_key"] = self.api_key
        return {**own, **options}

    def create_access_token(self, role: Literal["owner", "admin", "member", "agent"], account_id: str | None = None) -> AccountToken:
        """Issues an access token for the first member with the role, valid for a year of the sandbox's clock."""
        account = account_id or self.account_id
        issued = self.control("POST", "/credentials/access-tokens", {"role": role, "accountId": account, "expiresInSecs": _YEAR})
        return {"access_token": issued["accessToken"], "account_id": account}

    # Time

    def now(self) -> float:
        """Returns the sandbox's time in seconds since the epoch, e.g. as the `clock` of a webhook handler."""
        if not self._is_frozen or self._frozen_at is None:
            self._frozen_at = _seconds(self.control("GET", "/clock")["now"])
        return self._frozen_at

    def advance(self, seconds: float) -> list[Event]:
        """Moves the time, runs what is due, and returns what happened, in order."""
        return self._advance({"by": round(seconds * 1000)})

    def advance_to_next(self) -> list[Event]:
        """Moves the time to what is due next."""
        return self._advance({"nextTimer": True})

    def _advance(self, step: Mapping[str, object]) -> list[Event]:
        before = self.now()
        moved = self.control("POST", "/clock/advance", step)
        self._frozen_at = _seconds(moved["now"])
        self._moved += self._frozen_at - before
        events: list[Event] = moved["effects"]
        return events

    # Requests and faults

    def add_fault(self, fault: Fault) -> str:
        """Makes requests or webhooks fail, e.g. `createCall 503, 503, pass`. Returns the fault's ID."""
        body = {"text": fault} if isinstance(fault, str) else dict(fault)
        added: str = self.control("POST", "/faults", body)["id"]
        return added

    def clear_faults(self) -> None:
        """Removes all faults."""
        self.control("DELETE", "/faults")

    def requests(self) -> list[RequestEntry]:
        """Returns the requests that arrived, oldest first."""
        entries: list[RequestEntry] = self.control("GET", "/requests")["requests"]
        return entries

    # Webhooks and transfers

    def forward_webhooks_to(self, target: WebhookTarget) -> None:
        """Sends webhooks to an application or a URL from now on, instead of the destinations' own URLs.

        Args:
            target: A WSGI or ASGI application, such as a `WebhookHandler` or your app, called in a thread of its own; or a URL.
                An application gets `POST /offers`.

        """
        url = target if isinstance(target, str) else self._closing.enter_context(serve(target))
        for one in self.records("destinations"):
            if one.get("kind") == "app":
                self.update_record("destinations", one["id"], {"config": {"url": url}})

    def trigger_offer(self, destination_id: str = demo.destinations.app, **payload: object) -> Delivery:
        """Sends a signed offer to an `app` destination, waits for its answer, and returns the delivery."""
        delivery: Delivery = self.control("POST", "/webhooks/trigger", {**payload, "destinationId": destination_id})
        return delivery

    def redeliver(self, delivery_id: str) -> Delivery:
        """Sends the event of a delivery again, with a new signature."""
        delivery: Delivery = self.control("POST", f"/webhooks/deliveries/{delivery_id}/redeliver")
        return delivery

    def deliveries(self) -> list[Delivery]:
        """Returns the webhooks that were sent, oldest first."""
        deliveries: list[Delivery] = self.control("GET", "/webhooks/deliveries")["deliveries"]
        return deliveries

    def start_transfer(
        self,
        *,
        destination_id: str | None = None,
        group_id: str | None = None,
        call_id: str | None = None,
        script: Sequence[ScriptEntry] = (),
    ) -> Transfer:
        """Transfers a call to a destination or to a group, which ring. `advance()` lets the script happen."""
        target = {"destinationId": destination_id, "groupId": group_id, "callId": call_id}
        body = {name: value for name, value in target.items() if value is not None}
        transfer: Transfer = self.control("POST", "/transfers", {**body, "script": list(script)})
        return transfer

    def get_transfer(self, transfer_id: str) -> Transfer:
        """Returns a transfer as it is now.

        Raises:
            MockServerError: There is no transfer with this ID.

        """
        found: list[Transfer] = self.control("GET", f"/transfers?id={quote(transfer_id, safe='')}")["transfers"]
        if not found:
            raise MockServerError(f"There is no transfer {transfer_id}. start_transfer() returns the ID of a new one.")
        return found[0]

    # Everything else

    def update_policies(self, policies: Mapping[str, object]) -> None:
        """Changes limits, and the behaviours that the specification leaves open."""
        self.control("PATCH", "/policies", policies)

    def records(self, collection: str) -> list[dict[str, Any]]:
        """Returns records, such as `calls` or `destinations`, in the format of a seed."""
        found: list[dict[str, Any]] = self.control("GET", f"/records/{collection}")["records"]
        return found

    def update_record(self, collection: str, record_id: str, changes: Mapping[str, object]) -> None:
        """Changes fields of a record."""
        self.control("PATCH", f"/records/{collection}/{record_id}", changes)

    def control(self, method: str, path: str, body: object = None) -> Any:
        """Sends a request to the sandbox's control plane, and returns the JSON of its answer.

        Args:
            method: HTTP method.
            path: Path after `/_control/v1`, such as `/credentials/api-keys`.
            body: Sent as JSON.

        Raises:
            MockServerError: It was rejected.

        """
        return self._server.control(method, path, body, sandbox=self.name)

    def close(self) -> None:
        """Removes the sandbox, and closes its clients. A late request gets 404."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


def open_sandbox(*, server: MockServer | None = None, name_prefix: str = "sandbox", **options: Unpack[SandboxOptions]) -> Sandbox:
    """Opens a sandbox. Use it in `with`, or call its `close()`.

    Args:
        server: The mock server. By default the one at CALL_TRANSFER_MOCK_URL, or one that `npx` starts and that ends with the process.
        name_prefix: Start of the sandbox's name.
        **options: See `SandboxOptions`.

    Raises:
        MockServerError: There is no server, or it rejected an option.

    """
    return Sandbox(server or shared_server(), name_prefix, options)


def _seconds(time_text: str) -> float:
    return datetime.fromisoformat(time_text).timestamp()


class _Clock:
    """The time of a sandbox, for its clients."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.now = sandbox.now

    def elapsed(self) -> float:
        return time.monotonic() + self._sandbox._moved
