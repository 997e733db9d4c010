"""Receivers over their drivers: threads with WSGI, and asyncio with ASGI."""

import asyncio
import io
import logging
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast, get_args
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest

from call_transfer.webhooks import (
    AsyncWebhookHandler,
    ReadinessProblem,
    TransferOffer,
    UnknownWebhookEvent,
    WebhookErrorCode,
    WebhookHandler,
    WebhookResponse,
    sign_webhook,
    verify_webhook,
)
from call_transfer.webhooks import postgres as postgres_inboxes
from call_transfer.webhooks import redis as redis_stores

from .virtual import BODY, SECRET, MemoryStore, awaited, headers_of

INBOX: Any = postgres_inboxes.postgres_inbox(transaction=cast("Any", print), query=cast("Any", print))
TYPESCRIPT = Path(__file__).parents[3] / "sdk" / "src" / "webhooks"


def environ_of(body: bytes = BODY, **changes: Any) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "QUERY_STRING": "",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_SERVICE_SIGNATURE": headers_of(body)["Service-Signature"],
        "wsgi.input": io.BytesIO(body),
        **changes,
    }
    setup_testing_defaults(environ)
    return environ


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
    handler = WebhookHandler(secret=SECRET, on_event=seen.append)
    environ = environ_of()
    # The validator allows reading in parts alone.
    assert by_wsgi(validator(handler), environ)[0] == "204 No Content"
    (event,) = seen
    assert isinstance(event, TransferOffer)
    assert (event.id, event.destination_id, event.model_extra) == ("1", "front-desk", {"other": [1]})
    status, headers, body = by_wsgi(validator(handler), environ_of(HTTP_SERVICE_SIGNATURE="t=1,v1=x"))
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
    handler = WebhookHandler(secret=SECRET, on_event=lambda event: None, on_error=lambda error, code: codes.append(code))
    answered, _, body = by_wsgi(handler, environ_of(**changes))
    assert answered.startswith(status)
    assert len(codes) == (0 if status == "204" else 1)
    # What the handler's developer must change is for on_error alone.
    assert (body == b"The webhook could not be handled.\n") == (codes == ["body_already_read"])


def test_an_asgi_application_reads_the_raw_body_in_parts() -> None:
    async def on_event(event: Any) -> WebhookResponse:
        await asyncio.sleep(0)
        return WebhookResponse(200, "é", {"X-Other": "1"})

    async def main() -> None:
        handler = AsyncWebhookHandler(secret=SECRET, on_event=on_event, on_error=lambda error, code: None)
        parts = [{"type": "http.request", "body": BODY[at : at + 9], "more_body": True} for at in range(0, len(BODY), 9)]
        last: dict[str, Any] = {"type": "http.request"}
        plain = {"content-type": "text/plain;charset=UTF-8", "content-length": "2"}
        assert await by_asgi(handler, [*parts, last], headers_of()) == (200, plain | {"x-other": "1"}, "é".encode())
        assert await by_asgi(handler, [*parts, last], headers_of()) == (200, plain, "é".encode())
        large = [{"type": "http.request", "body": b"x" * 1024 * 1024, "more_body": True}] * 2
        assert (await by_asgi(handler, large, headers_of()))[0] == 413
        gone: list[dict[str, Any]] = [parts[0], {"type": "http.disconnect"}]
        assert (await by_asgi(handler, gone, headers_of()))[0] == 400
        with pytest.raises(ValueError, match="no websocket"):
            await handler({"type": "websocket"}, cast("Any", None), cast("Any", None))

    asyncio.run(main())


def test_copies_in_threads_get_one_answer() -> None:
    handled: list[int] = []
    second_waits = threading.Event()

    def on_event(event: Any) -> WebhookResponse:
        handled.append(1)
        assert second_waits.wait(300)
        return WebhookResponse(200, f"{len(handled)}")

    handler = WebhookHandler(secret=SECRET, on_event=on_event)
    answers: list[WebhookResponse] = []
    threads = [threading.Thread(target=lambda: answers.append(handler.handle(BODY, headers_of()))) for _ in range(9)]
    for thread in threads:
        thread.start()
    second_waits.set()
    for thread in threads:
        thread.join()
    assert {answer.body for answer in answers} == {b"1"}
    assert handler.check_readiness() == []


def test_an_event_is_handled_to_its_end_when_its_request_is_cancelled() -> None:
    async def main() -> None:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def on_event(event: Any) -> WebhookResponse:
            begun.set()
            await may_end.wait()
            return WebhookResponse(200, "handled")

        handler = AsyncWebhookHandler(secret=SECRET, on_event=on_event)
        first = asyncio.create_task(handler.handle(BODY, headers_of()))
        await begun.wait()
        copy = asyncio.create_task(handler.handle(BODY, headers_of()))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        may_end.set()
        assert (await copy).body == b"handled"
        assert await handler.check_readiness() == []

    asyncio.run(main())


def test_nothing_keeps_an_event_loop_from_ending() -> None:
    class Down(MemoryStore):
        def complete(self, key: str, owner: str, response: str, /) -> bool:
            raise OSError("The store is down.")

    async def main() -> WebhookResponse:
        handler = AsyncWebhookHandler(
            secret=SECRET, on_event=lambda event: None, store=awaited(Down()), store_timeout=0.001, on_error=lambda error, code: None
        )
        return await handler.handle(BODY, headers_of())

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

    handler = WebhookHandler(secret=secret, on_event=lambda event: None, on_error=lambda error, code: codes.append(code))
    assert handler.handle(BODY, {}).status == 400
    assert asked == []
    answers = [handler.handle(BODY, headers_of()).status for _ in given]
    assert (answers, codes) == (
        [204, 400, 400, 400],
        ["invalid_signature_header", "signature_mismatch", *["secret_lookup_failed", "signature_mismatch"] * 2],
    )


def test_a_handler_without_secrets_says_so_and_that_offers_are_lost(caplog: pytest.LogCaptureFixture) -> None:
    given: list[Any] = [{}, [], SECRET, {}]

    def secret() -> Any:
        one = given[0]
        return one["CALL_TRANSFER_SIGNING_SECRETS_FILE"] if isinstance(one, dict) else one

    handler = WebhookHandler(secret=secret, on_event=lambda event: None)
    failed = "KeyError: 'CALL_TRANSFER_SIGNING_SECRETS_FILE'. Fix the option secret. "
    message = f"no signing secret: {failed}Until then, offers get a 500."
    assert handler.check_readiness() == [("secret_lookup_failed", message)]
    with caplog.at_level(logging.ERROR, "call_transfer"):
        assert handler.handle(BODY, headers_of()).status == 500
        given.pop(0)
        (problem,) = handler.check_readiness()
        assert (problem.code, "secret must be a signing secret" in problem.message) == ("secret_lookup_failed", True)
        given.pop(0)
        assert handler.check_readiness() == []
        given.pop(0)
        # The secrets of the check remain in use, so that offers are handled.
        assert handler.check_readiness() == []
        assert handler.handle(BODY, headers_of()).status == 204
    later = f"no new signing secret: {failed}Its last secrets remain in use."
    assert [record.getMessage() for record in caplog.records] == [message, later]


def test_the_logger_has_each_cause_once_and_no_phone_number(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: Any) -> None:
        raise RuntimeError("No route to +15550200001.")

    handler = WebhookHandler(secret=SECRET, on_event=fail)
    with caplog.at_level(logging.ERROR, "call_transfer"):
        for _ in range(3):
            assert handler.handle(BODY, headers_of()).status == 500
        handler.handle(BODY, {})
    first, second = [record.getMessage() for record in caplog.records]
    assert first.startswith("on_event failed: RuntimeError: No route to +1555*****01. The sender gets no details.")
    assert second.startswith("rejected a webhook: The header Service-Signature is missing.")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"on_error": asyncio.sleep}, TypeError, "on_error must not be async"),
        ({"on_event": asyncio.sleep}, TypeError, "on_event, secret and on_error must not be async"),
        ({"on_store_error": "refuse"}, ValueError, 'on_store_error must be "handle" or "reject"'),
        ({"tolerance": float("inf")}, ValueError, "tolerance must be a finite number"),
        ({"lease_duration": 0.05}, ValueError, "lease_duration must be from 0.1 to 60"),
        ({"duplicate_wait": 61}, ValueError, "duplicate_wait must be from 0 to 60"),
        ({"store_timeout": float("nan")}, ValueError, "store_timeout must be"),
        ({"max_answers": 0}, ValueError, "max_answers must be from 1 on"),
        ({"store": redis_stores.redis_event_store(print, retention=599)}, ValueError, "retention must be at least twice tolerance"),
        ({"inbox": INBOX, "tolerance": 43_201}, ValueError, "retention must be at least twice tolerance"),
        ({"inbox": INBOX, "lease_duration": 2}, TypeError, "lease_duration has no effect with inbox"),
        ({"inbox": INBOX, "store": MemoryStore()}, TypeError, "store has no effect with inbox"),
        ({"leaseMs": 5}, TypeError, "leaseMs is not an option"),
        ({"whsec_51abcdef": 5}, TypeError, r"^\(a name that may be a secret\) is not an option"),
    ],
)
def test_an_option_that_is_invalid_is_refused(options: Any, error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"secret": SECRET, "on_event": print, **options}
    with pytest.raises(error, match=message):
        WebhookHandler(**given)


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("", "secret must be non-empty text"),
        ([], "secret must be a signing secret"),
        (" x", "without spaces or line breaks around it"),
        (b"bytes", "secret must be non-empty text"),
        (None, "secret must be a signing secret"),
        ("whsec_1234\ud800", "without lone surrogates"),
    ],
)
def test_a_secret_is_checked_by_the_first_webhook_and_not_where_an_image_without_it_is_built(secret: Any, message: str) -> None:
    codes: list[str] = []
    handler = WebhookHandler(secret=secret, on_event=print, on_error=lambda error, code: codes.append(code))
    assert handler.handle(BODY, headers_of()).status == 500
    assert codes == ["secret_lookup_failed"]
    (problem,) = handler.check_readiness()
    assert (problem.code, message in problem.message, "1234" in problem.message) == ("secret_lookup_failed", True, False)


def test_a_store_that_is_not_async_is_rejected_on_asyncio() -> None:
    with pytest.raises(TypeError, match="store must be async"):
        AsyncWebhookHandler(secret=SECRET, on_event=print, store=MemoryStore())


@pytest.mark.parametrize("returned", [WebhookResponse, "204", 204])
def test_what_is_no_response_is_answered_with_500(returned: Any) -> None:
    errors: list[BaseException] = []
    handler = WebhookHandler(secret=SECRET, on_event=lambda event: returned, on_error=lambda error, code: errors.append(error))
    assert handler.handle(BODY, headers_of()).status == 500
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
    assert isinstance(later, UnknownWebhookEvent)
    assert (later.type, later.id, later.model_extra) == ("later.event", "7", {"more": {}})
    odd = verified('{"type":"transfer.offer","id":7}')
    assert isinstance(odd, TransferOffer)
    assert odd.validation_error is not None


def test_the_codes_are_those_of_the_typescript_handler() -> None:
    text = (TYPESCRIPT / "errors.ts").read_text("utf-8")
    (union,) = re.findall(r"export type WebhookErrorCode =([^;]*);", text)
    assert re.findall(r'\| "(\w+)"', union) == list(get_args(WebhookErrorCode))


def test_the_scripts_and_statements_are_those_of_the_typescript_stores() -> None:
    scripts = re.findall(r"const (\w+Script|read) = `([^`]*)`", (TYPESCRIPT / "redis.ts").read_text("utf-8"))
    names = {
        "read": "_READ",
        "claimScript": "_CLAIM",
        "completeScript": "_COMPLETE",
        "releaseScript": "_RELEASE",
    }
    assert {names[name]: script.replace("${read}", redis_stores._READ) for name, script in scripts if name in names} == {
        name: getattr(redis_stores, name) for name in names.values()
    }
    text = (TYPESCRIPT / "postgres.ts").read_text("utf-8")
    after = r"clock_timestamp() + \1::float8 * interval '1 millisecond'"
    text = re.sub(r'\$\{afterMs\("(\$\d)"\)\}', after, text).replace("${table}", "TABLE")
    text = text.replace("${owner}", "current_setting('call_transfer.owner', true) as owner")
    statements = dict(re.findall(r"(lock =|claim:|complete:|check:) `([^`]*)`", text))
    inbox = postgres_inboxes
    assert statements == {"lock =": inbox._LOCK, "claim:": inbox._CLAIM, "complete:": inbox._COMPLETE, "check:": inbox._CHECK}
    (table,) = re.findall(r"return `(create table[^`]*)`", text)
    assert inbox.inbox_table_sql("t") == table.replace("${quotedTable(table)}", '"t"').replace("${index}", '"t_expires_at"')


def test_a_statement_has_the_parameters_of_the_client_and_a_quoted_table() -> None:
    def of(style: Any) -> Any:
        given = {"transaction": cast("Any", print), "query": cast("Any", print)}
        return postgres_inboxes.postgres_inbox(**given, table='app.100% "$1"', paramstyle=style)._statement

    text = "select $2 from TABLE where key = $1 or $1 = ''"
    assert of("format")(text, ("a", "b")) == ('select %s from "app"."100%% ""$1""" where key = %s or %s = \'\'', ["b", "a", "a"])
    assert of("numeric_dollar")(text, ("a", "b"))[0] == 'select $2 from "app"."100% ""$1""" where key = $1 or $1 = \'\''
    for table in ("", "a.b.c", "a..b", ".", "a\0"):
        with pytest.raises(ValueError, match="table must be the name of a table"):
            postgres_inboxes.inbox_table_sql(table)


@pytest.mark.parametrize(("step", "status", "code"), [("event", 500, "handler_failed"), ("claim", 204, "store_failed")])
def test_what_is_cancelled_within_a_handling_is_an_error_and_no_cancellation(step: str, status: int, code: str) -> None:
    async def wait_for_what_is_cancelled() -> None:
        waiting = asyncio.get_running_loop().create_future()
        waiting.cancel()
        await waiting

    async def claim(*_: object) -> Any:
        await wait_for_what_is_cancelled()

    store = awaited(MemoryStore())
    if step == "claim":
        store.claim = claim

    async def on_event(_: Any) -> None:
        if step == "event":
            await wait_for_what_is_cancelled()

    async def deliver() -> tuple[int, list[str]]:
        codes: list[str] = []
        handler = AsyncWebhookHandler(secret=SECRET, on_event=on_event, store=store, on_error=lambda _, given: codes.append(given))
        return (await handler.handle(BODY, headers_of())).status, codes

    assert asyncio.run(deliver()) == (status, [code])


@pytest.mark.parametrize("hanging", ["query", "rollback"])
def test_an_error_of_on_event_is_reported_also_if_the_database_hangs_after_it(hanging: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_inboxes, "MAX_HANDLING", 0.5)
    monkeypatch.setattr(postgres_inboxes, "_MAX_PROBE", 0.01, raising=False)
    monkeypatch.setattr(postgres_inboxes, "_MIN_WAIT", 0.1)

    @asynccontextmanager
    async def transaction() -> AsyncIterator[None]:
        try:
            yield
        finally:
            if hanging == "rollback":
                await asyncio.Event().wait()

    async def query(_: object, sql: str, __: object) -> Any:
        if sql == "select 1" and hanging == "query":
            await asyncio.Event().wait()
        return [("claimed", None)]

    async def fail(*_: object) -> None:
        raise LookupError("Of the app.")

    errors: list[BaseException] = []

    async def main() -> int:
        inbox = postgres_inboxes.postgres_inbox(transaction=transaction, query=query)
        handler = AsyncWebhookHandler(secret=SECRET, on_event=fail, inbox=inbox, on_error=lambda error, _: errors.append(error))
        return (await handler.handle(BODY, headers_of())).status

    assert (asyncio.run(main()), [type(error) for error in errors]) == (500, [LookupError])


def test_an_inbox_whose_database_hangs_is_a_problem_of_a_readiness_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_inboxes, "_MIN_WAIT", 0.01)

    @asynccontextmanager
    async def transaction() -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    async def main() -> list[ReadinessProblem]:
        inbox = postgres_inboxes.postgres_inbox(transaction=transaction, query=cast("Any", print))
        return await AsyncWebhookHandler(secret=SECRET, on_event=print, inbox=inbox, duplicate_wait=0.01).check_readiness()

    assert asyncio.run(main()) == [("store_timeout", "The database did not answer within 0.01 s.")]


def test_a_length_is_sent_once() -> None:
    handler = WebhookHandler(secret=SECRET, on_event=lambda _: WebhookResponse(200, "ok", {"Content-Length": "99"}))
    started: list[list[tuple[str, str]]] = []
    handler(environ_of(), lambda _, headers: started.append(headers))
    assert [value for name, value in started[0] if name == "content-length"] == ["2"]


def test_a_store_that_waits_for_an_event_loop_is_named() -> None:
    async def claim(*_: object) -> Any:
        await asyncio.sleep(0)

    store: Any = awaited(MemoryStore())
    store.claim = claim
    (problem,) = WebhookHandler(secret=SECRET, on_event=lambda event: None, store=store).check_readiness()
    assert problem == ("store_failed", "It waits for an event loop. Use AsyncWebhookHandler.")


def blocking(script: str, _key: str, _args: object) -> Any:
    """Replies as Redis does to the scripts of a store, as if nothing was stored."""
    return [b"claimed", b"1"] if '{"claimed", "1"}' in script else 0


def test_a_client_of_redis_of_the_other_kind_is_named() -> None:
    async def awaited_eval(*given: Any) -> Any:
        return blocking(*given)

    handler = WebhookHandler(secret=SECRET, on_event=print, store=redis_stores.redis_event_store(awaited_eval))
    assert [problem.message for problem in handler.check_readiness()] == [
        "eval_script is async. Use AsyncWebhookHandler, or another client of the database."
    ]

    async def main() -> list[ReadinessProblem]:
        store = redis_stores.redis_event_store(blocking)
        return await AsyncWebhookHandler(secret=SECRET, on_event=print, store=store).check_readiness()

    assert [problem.message for problem in asyncio.run(main())] == [
        "eval_script is not async. Use WebhookHandler, or another client of the database."
    ]


def test_a_client_of_redis_that_parses_its_replies_is_named() -> None:
    def parsing(*_: object) -> Any:
        return ["claimed", 1]

    handler = WebhookHandler(secret=SECRET, on_event=print, store=redis_stores.redis_event_store(parsing))
    (problem,) = handler.check_readiness()
    assert problem.message.startswith("eval_script must return replies as Redis sends them")
