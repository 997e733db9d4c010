"""Receivers over their drivers: threads with WSGI, and asyncio with ASGI."""

import asyncio
import inspect
import io
import json
import logging
import pickle
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast, get_args
from wsgiref.validate import validator

import pytest
import redis
import redis.asyncio

from call_transfer.webhooks import (
    AsyncMemoryEventStore,
    AsyncWebhookReceiver,
    MemoryEventStore,
    TransferOffer,
    UnknownEvent,
    WebhookErrorCode,
    WebhookProblem,
    WebhookReceiver,
    WebhookResponse,
    WebhookVerificationError,
    sign_webhook,
    verify_webhook,
)
from call_transfer.webhooks import postgres as postgres_stores
from call_transfer.webhooks import redis as redis_stores

SECRET = "secret-of-a-test"
BODY = json.dumps({"type": "transfer.offer", "id": "1", "destinationId": "front-desk", "other": [1]}).encode()
TYPESCRIPT = Path(__file__).parents[3] / "sdk" / "src" / "webhooks"


def headers_of(body: bytes = BODY) -> dict[str, str]:
    return {"Service-Signature": sign_webhook(body, secret=SECRET)}


def environ_of(body: bytes = BODY, **changes: Any) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/offers",
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_SERVICE_SIGNATURE": headers_of(body)["Service-Signature"],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **changes,
    }


def by_wsgi(app: Any, environ: dict[str, Any]) -> tuple[str, dict[str, str], bytes]:
    started: list[Any] = []

    def start_response(*given: Any) -> Callable[[bytes], object]:
        started.extend(given)
        return lambda data: None

    parts = app(environ, start_response)
    body = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    return started[0], dict(started[1]), body


async def by_asgi(
    app: Any, parts: Sequence[dict[str, Any]], headers: dict[str, str], method: str = "POST"
) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict[str, Any]] = []
    left = iter(parts)

    async def receive() -> dict[str, Any]:
        return next(left)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await app({"type": "http", "method": method, "headers": pairs}, receive, send)
    given = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], given, sent[1]["body"]


def test_a_wsgi_application_answers_as_the_standard_demands() -> None:
    seen: list[Any] = []
    receiver = WebhookReceiver(secret=SECRET, on_event=seen.append)
    environ = environ_of()
    # The validator allows reading in parts alone.
    assert by_wsgi(validator(receiver), environ)[0] == "204 No Content"
    (event,) = seen
    assert isinstance(event, TransferOffer)
    assert (event.id, event.destination_id, event.model_extra) == ("1", "front-desk", {"other": [1]})
    status, headers, body = by_wsgi(validator(receiver), environ_of(HTTP_SERVICE_SIGNATURE="t=1,v1=x"))
    assert (status, headers["content-length"], body) == ("400 Bad Request", "35", b"The webhook could not be verified.\n")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"wsgi.input": io.BytesIO(BODY[:-1])}, "500"),
        ({"CONTENT_LENGTH": "1e3"}, "400"),
        ({"CONTENT_LENGTH": str(1024 * 1024 + 1)}, "413"),
        ({"CONTENT_LENGTH": ""}, "400"),
        ({"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}, "411"),
        ({"CONTENT_LENGTH": "", "wsgi.input_terminated": True}, "204"),
        ({"CONTENT_LENGTH": "", "wsgi.input_terminated": True, "wsgi.input": io.BytesIO(b"x" * 1024 * 1025)}, "413"),
        ({"REQUEST_METHOD": "GET"}, "405"),
    ],
)
def test_a_wsgi_application_reads_the_raw_body(changes: dict[str, Any], status: str) -> None:
    codes: list[str] = []
    receiver = WebhookReceiver(secret=SECRET, on_event=lambda event: None, on_error=lambda error, code: codes.append(code))
    answered, _, body = by_wsgi(receiver, environ_of(**changes))
    assert answered.startswith(status)
    assert len(codes) == (0 if status == "204" else 1)
    # What the receiver's developer must change is for on_error alone.
    assert (body == b"The webhook could not be handled.\n") == (codes == ["bad_body"])


def test_a_body_that_the_server_left_out_is_named() -> None:
    seen: list[tuple[str, str]] = []
    receiver = WebhookReceiver(secret=SECRET, on_event=lambda event: None, on_error=lambda error, code: seen.append((code, str(error))))
    assert receiver.handle(b"", {**headers_of(), "Transfer-Encoding": "Chunked"}).status == 411
    assert receiver.handle(b"", headers_of()).status == 400
    assert [code for code, _ in seen] == ["bad_body", "no_match"]
    assert "wsgiref" in seen[0][1]


def test_an_asgi_application_reads_the_raw_body_in_parts() -> None:
    async def on_event(event: Any) -> WebhookResponse:
        await asyncio.sleep(0)
        return WebhookResponse(200, "é", {"X-Other": "1"})

    async def main() -> None:
        receiver = AsyncWebhookReceiver(secret=SECRET, on_event=on_event, on_error=lambda error, code: None)
        parts = [{"type": "http.request", "body": BODY[at : at + 9], "more_body": True} for at in range(0, len(BODY), 9)]
        last: dict[str, Any] = {"type": "http.request"}
        plain = {"content-type": "text/plain;charset=UTF-8", "content-length": "2"}
        assert await by_asgi(receiver, [*parts, last], headers_of()) == (200, plain | {"x-other": "1"}, "é".encode())
        assert await by_asgi(receiver, [*parts, last], headers_of()) == (200, plain, "é".encode())
        large = [{"type": "http.request", "body": b"x" * 1024 * 1024, "more_body": True}] * 2
        assert (await by_asgi(receiver, large, headers_of()))[0] == 413
        gone: list[dict[str, Any]] = [parts[0], {"type": "http.disconnect"}]
        assert (await by_asgi(receiver, gone, headers_of()))[0] == 400
        with pytest.raises(ValueError, match="no websocket"):
            await receiver({"type": "websocket"}, cast("Any", None), cast("Any", None))

    asyncio.run(main())


def test_copies_in_threads_get_one_answer() -> None:
    handled: list[int] = []
    second_waits = threading.Event()

    def on_event(event: Any) -> WebhookResponse:
        handled.append(1)
        assert second_waits.wait(300)
        return WebhookResponse(200, f"{len(handled)}")

    receiver = WebhookReceiver(secret=SECRET, on_event=on_event)
    answers: list[WebhookResponse] = []
    threads = [threading.Thread(target=lambda: answers.append(receiver.handle(BODY, headers_of()))) for _ in range(9)]
    for thread in threads:
        thread.start()
    second_waits.set()
    for thread in threads:
        thread.join()
    assert {answer.body for answer in answers} == {b"1"}
    assert receiver.check_ready() == []


def test_an_event_is_handled_to_its_end_when_its_request_is_cancelled() -> None:
    async def main() -> None:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def on_event(event: Any) -> WebhookResponse:
            begun.set()
            await may_end.wait()
            return WebhookResponse(200, "handled")

        receiver = AsyncWebhookReceiver(secret=SECRET, on_event=on_event)
        first = asyncio.create_task(receiver.handle(BODY, headers_of()))
        await begun.wait()
        copy = asyncio.create_task(receiver.handle(BODY, headers_of()))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        may_end.set()
        assert (await copy).body == b"handled"
        assert await receiver.check_ready() == []

    asyncio.run(main())


def test_nothing_keeps_an_event_loop_from_ending() -> None:
    class Down(AsyncMemoryEventStore):
        async def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
            raise OSError("The store is down.")

    async def main() -> WebhookResponse:
        receiver = AsyncWebhookReceiver(
            secret=SECRET, on_event=lambda event: None, store=Down(), store_timeout=0.001, on_error=lambda error, code: None
        )
        return await receiver.handle(BODY, headers_of())

    assert asyncio.run(main()).status == 204


def test_secrets_of_a_function_are_read_for_each_webhook_and_the_last_ones_remain_in_use() -> None:
    given: list[Any] = [[SECRET], ["another"], [], OSError("The file is gone.")]
    asked: list[int] = []
    codes: list[str] = []

    def secret() -> Any:
        asked.append(1)
        one = given[len(asked) - 1]
        if isinstance(one, Exception):
            raise one
        return one

    receiver = WebhookReceiver(secret=secret, on_event=lambda event: None, on_error=lambda error, code: codes.append(code))
    assert receiver.handle(BODY, {}).status == 400
    assert asked == []
    answers = [receiver.handle(BODY, headers_of()).status for _ in given]
    assert (answers, codes) == ([204, 400, 400, 400], ["bad_header", "no_match", *["secrets_failed", "no_match"] * 2])


def test_a_receiver_without_secrets_says_so_and_that_offers_are_lost(caplog: pytest.LogCaptureFixture) -> None:
    given: list[Any] = [{}, [], SECRET, {}]

    def secret() -> Any:
        one = given[0]
        return one["OFFER_SECRETS_FILE"] if isinstance(one, dict) else one

    receiver = WebhookReceiver(secret=secret, on_event=lambda event: None)
    failed = "the function for secret failed: KeyError: 'OFFER_SECRETS_FILE'. Fix it. Until then, "
    assert receiver.check_ready() == [("secrets_failed", failed + "offers get a 500.")]
    with caplog.at_level(logging.ERROR, "call_transfer"):
        assert receiver.handle(BODY, headers_of()).status == 500
        given.pop(0)
        (problem,) = receiver.check_ready()
        assert (problem.code, "secret must be a signing secret" in problem.message) == ("secrets_failed", True)
        given.pop(0)
        assert receiver.check_ready() == []
        given.pop(0)
        # The secrets of the check remain in use, so that offers are handled.
        assert receiver.check_ready() == []
        assert receiver.handle(BODY, headers_of()).status == 204
    advice = ["offers get a 500.", "its last secrets remain in use."]
    assert [record.getMessage() for record in caplog.records] == [failed + one for one in advice]


def test_an_async_receiver_without_secrets_says_so() -> None:
    async def secret() -> str:
        raise TimeoutError

    async def main() -> list[WebhookProblem]:
        return await AsyncWebhookReceiver(secret=secret, on_event=lambda event: None).check_ready()

    advice = "Fix it. Until then, offers get a 500."
    assert asyncio.run(main()) == [("secrets_failed", f"the function for secret failed: TimeoutError. {advice}")]


@pytest.mark.parametrize(
    ("store", "client", "other"),
    [
        (redis_stores.RedisEventStore, redis.asyncio.Redis, "AsyncRedisEventStore"),
        (redis_stores.RedisEventStore, type("Traced", (redis.asyncio.Redis,), {}), "AsyncRedisEventStore"),
        (redis_stores.AsyncRedisEventStore, redis.Redis, "RedisEventStore"),
    ],
)
def test_a_client_of_the_other_kind_is_refused(store: Any, client: Any, other: str) -> None:
    with pytest.raises(TypeError, match=rf"RedisCluster\. For this one, use {other}\."):
        store(client())


def test_the_clusters_of_redis_are_told_apart() -> None:
    for_threads, for_asyncio = (object.__new__(kind) for kind in (redis.RedisCluster, redis.asyncio.RedisCluster))
    redis_stores._check_client(for_threads, is_async=False)
    redis_stores._check_client(for_asyncio, is_async=True)
    for client, is_async in ((for_threads, True), (for_asyncio, False)):
        with pytest.raises(TypeError, match="client must be"):
            redis_stores._check_client(client, is_async=is_async)


def test_the_logger_has_each_cause_once_and_no_phone_number(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Any) -> None:
        raise RuntimeError("No route to +15550200001.")

    receiver = WebhookReceiver(secret=SECRET, on_event=fail)
    with caplog.at_level(logging.ERROR, "call_transfer"):
        for _ in range(3):
            assert receiver.handle(BODY, headers_of()).status == 500
        receiver.handle(BODY, {})
    first, second = [record.getMessage() for record in caplog.records]
    assert first.startswith("on_event failed: RuntimeError: No route to +1555*****01. The sender gets no details.")
    assert second.startswith("refused a webhook: The header Service-Signature is missing.")


def test_five_genuine_webhooks_that_are_stale_by_the_same_time_are_a_clock_that_is_off() -> None:
    codes: list[str] = []
    receiver = WebhookReceiver(
        secret=SECRET, on_event=lambda event: None, clock=lambda: 10_000.0, on_error=lambda error, code: codes.append(code)
    )
    for second in range(5):
        receiver.handle(BODY, {"service-signature": sign_webhook(BODY, secret=SECRET, at=11_000 + second)})
    assert codes == ["stale"] * 4 + ["clock_skew", "stale"]
    assert [problem.code for problem in receiver.check_ready()] == ["clock_skew"]
    assert "1004 s ahead of this machine's clock" in receiver.check_ready()[0].message


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"secret": ""}, ValueError, "secret must be non-empty"),
        ({"secret": []}, ValueError, "secret must be a signing secret"),
        ({"secret": " x"}, ValueError, "without spaces"),
        ({"secret": b"bytes"}, ValueError, "secret must be non-empty text"),
        ({"on_error": asyncio.sleep}, TypeError, "on_error must not be async"),
        ({"scope": "a b"}, ValueError, "scope must be 1 to 100"),
        ({"duplicates": "ignore"}, ValueError, "duplicates must be"),
        ({"on_store_error": "ignore"}, ValueError, "on_store_error must be"),
        ({"tolerance": float("inf")}, ValueError, "tolerance must be a finite number"),
        ({"lease_time": 0.05}, ValueError, "lease_time must be from 0.1 to 60"),
        ({"wait_time": 61}, ValueError, "wait_time must be from 0 to 60"),
        ({"store_timeout": float("nan")}, ValueError, "store_timeout must be"),
        ({"keep_time": 599}, ValueError, "keep_time must be at least 600"),
        ({"leaseMs": 5}, TypeError, "leaseMs is not an option"),
        ({"whsec_51abcdef": 5}, TypeError, r"^\(a name that may be a secret\) is not an option"),
        ({"store": AsyncMemoryEventStore()}, TypeError, "must not be async"),
    ],
)
def test_an_option_that_is_invalid_is_refused(options: Any, error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"secret": SECRET, "on_event": print, **options}
    with pytest.raises(error, match=message):
        WebhookReceiver(**given)


def test_a_store_that_is_not_async_is_refused_on_asyncio() -> None:
    with pytest.raises(TypeError, match="store must be async"):
        AsyncWebhookReceiver(secret=SECRET, on_event=lambda event: None, store=cast("Any", MemoryEventStore()))


@pytest.mark.parametrize("returned", [WebhookResponse, "204", 204])
def test_what_is_no_response_is_answered_with_500(returned: Any) -> None:
    errors: list[BaseException] = []
    receiver = WebhookReceiver(secret=SECRET, on_event=lambda event: returned, on_error=lambda error, code: errors.append(error))
    assert receiver.handle(BODY, headers_of()).status == 500
    assert "on_event must return nothing or a WebhookResponse, not" in str(errors[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [((199,), "from 200 to 599"), ((600,), "from 200 to 599"), ((204, ""), "has no body"), ((200, "", {"a": "b\r\nc"}), "one line")],
)
def test_a_response_that_cannot_be_sent_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WebhookResponse(*given)


def test_an_event_of_an_unknown_type_is_kept_and_one_that_does_not_fit_is_flagged() -> None:
    def verified(body: str) -> Any:
        return verify_webhook(body, {"service-signature": sign_webhook(body, secret=SECRET)}, secret=SECRET)

    later = verified('{"type":"later.event","id":"7","more":{}}')
    assert isinstance(later, UnknownEvent)
    assert (later.type, later.id, later.model_extra) == ("later.event", "7", {"more": {}})
    odd = verified('{"type":"transfer.offer","id":7}')
    assert isinstance(odd, TransferOffer)
    assert odd.mismatch is not None


def test_an_error_can_be_pickled_and_keeps_its_code() -> None:
    error = WebhookVerificationError("The header is missing.", "bad_header")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.code, type(copy)) == (str(error), "bad_header", WebhookVerificationError)


def test_the_codes_are_those_of_the_typescript_receiver() -> None:
    text = (TYPESCRIPT / "codes.ts").read_text("utf-8")
    union = text[text.index("export type WebhookErrorCode") : text.index("/** An error with its code. */")]
    assert re.findall(r'\| "(\w+)"', union) == list(get_args(WebhookErrorCode))


def test_a_redis_store_takes_as_many_steps_at_once_as_its_client_has_connections() -> None:
    # Nothing is connected.
    limited: Any = SimpleNamespace(connection_pool=SimpleNamespace(max_connections=7))
    unlimited: Any = SimpleNamespace(connection_pool=SimpleNamespace(max_connections=2**31))
    for store in (redis_stores.RedisEventStore, redis_stores.AsyncRedisEventStore):
        assert [store(client).steps_at_once for client in (limited, unlimited)] == [7, 100]
    cluster: Any = SimpleNamespace(get_default_node=None)
    assert redis_stores.RedisEventStore(cluster).steps_at_once == 100
    with pytest.raises(ValueError, match="does not work with a cluster"):
        redis_stores.RedisEventStore(cluster, wait_for_replicas=1)


def test_the_scripts_and_statements_are_those_of_the_typescript_stores() -> None:
    lua = (TYPESCRIPT / "redis.ts").read_text("utf-8")
    sources = inspect.getsource(redis_stores)
    scripts = re.findall(r"const (\w+Script|read) = `([^`]*)`", lua)
    assert len(scripts) == 4
    for name, script in scripts:
        mine = {"read": "_READ", "claimScript": "_CLAIM", "completeScript": "_COMPLETE", "releaseScript": "_RELEASE"}[name]
        assert mine in sources
        assert script.replace("${read}", redis_stores._READ) == getattr(redis_stores, mine)

    def plain(statement: str) -> str:
        return " ".join(statement.split())

    ts = (TYPESCRIPT / "postgres-table.ts").read_text("utf-8")
    names = {"claim": "claim", "complete": "complete", "release": "release", "deleteExpired": "delete_expired"}
    statements = postgres_stores._Statements("t")
    for name, attribute in names.items():
        (statement,) = re.findall(rf"^  {name}: `([^`]*)`", ts, re.MULTILINE)
        values = {"claim": ["key", "owner", "ms"], "complete": ["key", "owner", "answer", "ms"], "release": ["key", "owner"]}
        expected = statement.replace("${table}", '"t"')
        expected = re.sub(r'\$\{afterMs\("(\$\d)"\)\}', r"clock_timestamp() + \1::float8 * interval '1 millisecond'", expected)
        for number, value in enumerate(values.get(name, []), 1):
            expected = expected.replace(f"${number}", f"%({value})s")
        assert plain(getattr(statements, attribute)) == plain(expected)
    (table,) = re.findall(r"return `(create table[^`]*)`", ts)
    assert postgres_stores.create_event_table("t") == table.replace("${quotedTable(table)}", '"t"').replace(
        "${index}", '"t_expires_at"'
    )


@pytest.mark.parametrize(("step", "status", "code"), [("event", 500, "event_failed"), ("claim", 204, "store_failed")])
def test_what_is_cancelled_within_a_handling_is_an_error_and_no_cancellation(step: str, status: int, code: str) -> None:
    async def wait_for_what_is_cancelled() -> None:
        waiting = asyncio.get_running_loop().create_future()
        waiting.cancel()
        await waiting

    class Store(AsyncMemoryEventStore):
        async def claim(self, key: str, owner: str, lease_time: float, /) -> Any:
            if step == "claim":
                await wait_for_what_is_cancelled()
            return await super().claim(key, owner, lease_time)

    async def on_event(_: Any) -> None:
        if step == "event":
            await wait_for_what_is_cancelled()

    async def deliver() -> tuple[int, list[str]]:
        codes: list[str] = []
        receiver = AsyncWebhookReceiver(secret=SECRET, on_event=on_event, store=Store(), on_error=lambda _, given: codes.append(given))
        return (await receiver.handle(BODY, headers_of())).status, codes

    assert asyncio.run(deliver()) == (status, [code])


def test_a_length_is_sent_once() -> None:
    receiver = WebhookReceiver(secret=SECRET, on_event=lambda _: WebhookResponse(200, "ok", {"Content-Length": "99"}))
    started: list[list[tuple[str, str]]] = []
    receiver(environ_of(), lambda _, headers: started.append(headers))
    assert [value for name, value in started[0] if name == "content-length"] == ["2"]


def test_a_receiver_that_several_loops_use_at_a_time_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """As an async receiver in a WSGI view is used: each request has a loop of its own."""
    both = threading.Barrier(2)

    async def handle(_: object) -> None:
        await asyncio.to_thread(both.wait, 10)

    receiver = AsyncWebhookReceiver(secret=SECRET, on_event=handle)

    def deliver(number: int) -> int:
        body = json.dumps({"type": "event", "id": str(number)}).encode()
        return asyncio.run(receiver.handle(body, headers_of(body))).status

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(deliver, range(2))) == [204, 204]
    assert caplog.text.count("Use WebhookReceiver in a WSGI view") == 1
    caplog.clear()
    # One after the other, as tests do, they share nothing.
    both = threading.Barrier(1)
    assert deliver(3) == 204
    assert caplog.text == ""
