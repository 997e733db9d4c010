"""Lets the contract suite use the client: takes orders as lines of JSON, and answers each with a line.

packages/contract/vectors/README.md describes the protocol. The argument is `sync` or `async`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, TextIO

import call_transfer
from call_transfer import NOT_GIVEN, AsyncCallTransfer, CallTransfer
from call_transfer._call import Send, Sent, Sleep, Step, Steps
from call_transfer._drivers import AsyncDriver, Driver
from call_transfer._generated import operations
from call_transfer._operation import Operation

ON_UNKNOWN_OUTCOME = {"throw": "raise", "check": "check", "retry": "retry"}
OPERATIONS = {operation.operation_id: operation for operation in operations.OPERATIONS}


class Time:
    """The waits of the calls of a client, which end at once, and what its attempts may take."""

    def __init__(self, first_deadline: float | None) -> None:
        self.first_deadline = first_deadline
        self.waits: list[float] = []
        self.limits: list[float] = []

    def is_wait(self, step: Step) -> bool:
        if isinstance(step, Sleep):
            self.waits.append(step.seconds)
            return True
        if isinstance(step, Send):
            self.limits.append(step.limit)
            if self.first_deadline is not None and len(self.limits) == 1:
                step.limit = self.first_deadline
        return False


# What the call of this thread or task was answered.
answered: ContextVar[Sent | None] = ContextVar("answered", default=None)


def note(result: Any) -> Any:
    if isinstance(result, Sent):
        answered.set(result)
    return result


class RecordingDriver(Driver):
    time: Time | None

    def run(self, steps: Steps[Any]) -> Any:
        return note(super().run(steps))

    def _perform(self, step: Step) -> Any:
        return None if self.time is not None and self.time.is_wait(step) else super()._perform(step)


class RecordingAsyncDriver(AsyncDriver):
    time: Time | None

    async def run(self, steps: Steps[Any]) -> Any:
        return note(await super().run(steps))

    async def _perform(self, step: Step) -> Any:
        return None if self.time is not None and self.time.is_wait(step) else await super()._perform(step)


class Held:
    """A client that was opened."""

    def __init__(self, client: Any, time: Time | None) -> None:
        self.client = client
        self.time = time


def options_of(order: dict[str, Any]) -> dict[str, Any]:
    names = {"baseUrl": "base_url", "apiKey": "api_key", "accessToken": "access_token", "accountId": "account_id"}
    options = {name: order[wire] for wire, name in names.items() if order.get(wire) is not None}
    given = order.get("retry") or {}
    retry = {"trust_503_codes": given.get("trust503Codes")}
    if order.get("maxRetries") is not None:
        options["max_retries"] = order["maxRetries"]
    if "maxRetryAfterMs" in given:
        retry["max_retry_after"] = given["maxRetryAfterMs"] / 1000
    if "onUnknownOutcome" in given:
        retry["on_unknown_outcome"] = ON_UNKNOWN_OUTCOME[given["onUnknownOutcome"]]
    return {**options, "retry": {name: value for name, value in retry.items() if value is not None}}


def open_client(order: dict[str, Any], *, is_async: bool) -> Held:
    client: Any = (AsyncCallTransfer if is_async else CallTransfer)(**options_of(order))
    first = order.get("time", {}).get("firstDeadlineMs")
    time = Time(None if first is None else first / 1000) if "time" in order else None
    driver = client._driver
    driver.__class__ = RecordingAsyncDriver if is_async else RecordingDriver
    driver.time = time
    client._settings.random = lambda: 0.0
    return Held(client, time)


def start_call(client: Any, order: dict[str, Any]) -> Any:
    """Begins a call through the method of the operation, or where the body is no object, by its path."""
    operation: Operation = OPERATIONS[order["operation"]]
    body, query, path = order.get("body", NOT_GIVEN), order.get("query") or {}, order.get("path") or {}
    if operation.operation_id == "listCalls":
        known = {"limit": "limit", "offset": "offset", "status": "status", "startDate": "start_date"}
        return client.calls.list(**{known[name]: value for name, value in query.items()}).first_page()
    if operation.operation_id in METHODS and (body is NOT_GIVEN or isinstance(body, dict)):
        return METHODS[operation.operation_id](client, path, body)
    return client.request(operation.method, operation.route, path_params=path, query=query, body=body)


def with_body(method: Any, body: dict[str, Any], **names: str) -> Any:
    """Calls a method with the fields that it has, and sends the others along."""
    known = {name: body.get(wire, NOT_GIVEN) for wire, name in names.items()}
    extra = {wire: value for wire, value in body.items() if wire not in names}
    return method(**known, options={"extra_body": extra} if extra else None)


METHODS: dict[str, Any] = {
    "createCall": lambda client, _path, body: with_body(
        client.calls.create, body, flowId="flow_id", fromNumber="from_number", toNumber="to_number", providerId="provider_id"
    ),
    "createDestinationGroup": lambda client, _path, body: with_body(
        client.destination_groups.create,
        body,
        name="name",
        members="members",
        strategy="strategy",
        totalTimeoutSecs="total_timeout_secs",
    ),
    "rotateDestinationSecret": lambda client, path, _body: client.destinations.rotate_secret(path.get("id")),
    "deleteMemberHours": lambda client, path, _body: client.members.delete_hours(path.get("memberId")),
    "getMemberAvailability": lambda client, path, _body: client.members.get_availability(path.get("memberId")),
    "listRoles": lambda client, _path, _body: client.roles.list(),
    "listAccounts": lambda client, _path, _body: client.accounts.list(),
}


def report_of(error: BaseException) -> dict[str, Any]:
    """An error as the protocol spells it."""
    report: dict[str, Any] = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, call_transfer.RequestError):
        report.update(outcome=error.outcome, retrySkippedReason=error.retry_skipped_reason, requestId=error.request_id)
        report["attempts"] = [
            {"startedAt": one.started_at * 1000, "status": one.status, "code": one.code, "error": one.error} for one in error.attempts
        ]
    if isinstance(error, call_transfer.ApiError):
        report.update(status=error.status, body=error.body, retryAfterSecs=error.retry_after)
    if isinstance(error, call_transfer.OutcomeUnknownError):
        window = error.window
        report["window"] = {"start": window.start, "end": window.end, "byServerClock": window.by_server_clock}
        if error.__cause__ is not None:
            report["cause"] = report_of(error.__cause__)
    return {name: value for name, value in report.items() if value is not None}


def answer_of(order: dict[str, Any], held: Held | None, result: Any, error: BaseException | None, before: tuple[int, int]) -> str:
    answer: dict[str, Any] = {"id": order["id"], "waitsMs": [], "limitsMs": []}
    if held is not None and held.time is not None:
        answer["waitsMs"] = [seconds * 1000 for seconds in held.time.waits[before[0] :]]
        answer["limitsMs"] = [seconds * 1000 for seconds in held.time.limits[before[1] :]]
    if error is not None:
        answer["error"] = report_of(error)
    elif isinstance(result, call_transfer.ApiModel):
        answer["data"] = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
    elif isinstance(result, call_transfer.ApiResponse):
        answer["data"] = result.data
    sent = answered.get()
    if error is None and sent is not None:
        answer.update(status=sent.status, headers={"x-request-id": sent.headers.get("x-request-id") or ""})
    return json.dumps(answer)


def counts(held: Held | None) -> tuple[int, int]:
    return (0, 0) if held is None or held.time is None else (len(held.time.waits), len(held.time.limits))


async def serve(lines: TextIO, write: Any, *, is_async: bool) -> None:
    """Each order has a task of its own, and a thread with a sync client: a case may send several at once."""
    held: dict[str, Held] = {}

    async def carry_out(order: dict[str, Any]) -> str:
        one, result, error = held.get(order["client"]), None, None
        before = counts(one)
        try:
            if order["do"] == "open":
                held[order["client"]] = open_client(order, is_async=is_async)
            elif one is not None:
                result = start_call(one.client, order)
                result = await result if is_async else result
        except Exception as raised:
            error = raised
        return answer_of(order, one, result, error, before)

    async def respond(order: dict[str, Any]) -> None:
        # A thread without an event loop runs it to its end, because nothing suspends.
        write(await carry_out(order) if is_async or order["do"] == "open" else await asyncio.to_thread(finished, carry_out(order)))

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(100))
    tasks: set[asyncio.Task[None]] = set()
    while line := await asyncio.to_thread(lines.readline):
        order = json.loads(line)
        if order["do"] == "open":
            await respond(order)
            continue
        task = asyncio.create_task(respond(order))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    for one in held.values():
        await one.client.aclose() if is_async else one.client.close()


def finished(work: Coroutine[Any, Any, str]) -> str:
    try:
        work.send(None)
    except StopIteration as end:
        text: str = end.value
        return text
    raise AssertionError("A sync client must not suspend.")


def main() -> None:
    logging.getLogger("call_transfer").setLevel(logging.CRITICAL)
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock, contextlib.suppress(BrokenPipeError):
            print(line, flush=True)

    asyncio.run(serve(sys.stdin, write, is_async=sys.argv[1] == "async"))


if __name__ == "__main__":
    main()
