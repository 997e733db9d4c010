"""Cancellation in asyncio, and exceptions of signal handlers."""

from __future__ import annotations

import ast
import asyncio
import logging
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from conftest import KEY, place
from pydantic import BaseModel, field_validator
from servers import Request, Server, hang_up, problem, respond, silence

from call_transfer import AbortError, AsyncCallTransfer, CallTransfer, CallTransferError, ConfigurationError, OutcomeUnknownError
from call_transfer._auth import Auth, Credential
from call_transfer._interrupt import CARRIED
from call_transfer._redact import Secret


class Silent:
    """Never answers, and says when a request arrived and when its connection was closed."""

    def __init__(self) -> None:
        self.arrived, self.closed = threading.Event(), threading.Event()

    def __call__(self, connection: Any, _request: Request, stop: threading.Event) -> None:
        self.arrived.set()
        connection.recv(1)
        self.closed.set()


async def begin(client: AsyncCallTransfer, silent: Silent) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.ensure_future(place(client))
    await asyncio.to_thread(silent.arrived.wait)
    return task


@pytest.mark.parametrize("times", [1, 2])
def test_a_cancelled_placement_says_that_its_outcome_is_unknown(times: int) -> None:
    silent = Silent()

    async def cancel(url: str) -> BaseException:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client:
            task = await begin(client, silent)
            task.cancel()
            if times == 2:
                await asyncio.sleep(0)
                task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return caught.value

    with Server(silent) as server:
        stopped = asyncio.run(cancel(server.url))
        assert silent.closed.wait(300)
    assert isinstance(stopped.__cause__, OutcomeUnknownError)
    assert stopped.__cause__.outcome == "unknown"
    assert [attempt.error for attempt in stopped.__cause__.attempts] == ["aborted"]
    assert isinstance(stopped.__cause__.__cause__, AbortError)


def test_a_connection_whose_tls_handshake_is_cancelled_is_closed() -> None:
    arrived, closed = threading.Event(), threading.Event()

    def wait_for_end() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1)
            arrived.set()
            while connection.recv(1000):
                pass
        closed.set()

    async def cancel(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client:
            task: asyncio.Task[Any] = asyncio.ensure_future(place(client))
            await asyncio.to_thread(arrived.wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert await asyncio.to_thread(closed.wait, 300)
        assert getattr(caught.value, CARRIED).outcome == "not_sent"

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=wait_for_end, daemon=True)
        thread.start()
        asyncio.run(cancel(f"https://localhost:{listener.getsockname()[1]}"))
        thread.join()


def test_a_wait_before_a_retry_ends_at_once() -> None:
    waiting = asyncio.Event()

    async def cancel(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY, on_retry=lambda _: waiting.set()) as client:
            task = asyncio.ensure_future(client.roles.list())
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            assert isinstance(caught.value.__cause__, AbortError)
            assert caught.value.__cause__.outcome == "rejected"

    with Server(problem(429, "rate_limit_exceeded", {"retry-after": "50"})) as server:
        asyncio.run(cancel(server.url))
    assert len(server.requests) == 1


def test_a_client_belongs_to_one_loop() -> None:
    with Server(problem(404, "not_found", {"connection": "close"})) as server:
        client = AsyncCallTransfer(base_url=server.url, api_key=KEY)

        async def ask() -> None:
            await client.roles.list()

        with pytest.raises(Exception, match="404"):
            asyncio.run(ask())
        with pytest.raises(ConfigurationError, match="belongs to another event loop"):
            asyncio.run(ask())


def test_a_task_group_keeps_what_became_of_a_cancelled_placement() -> None:
    silent = Silent()
    tasks: list[asyncio.Task[Any]] = []

    async def refuse() -> None:
        await asyncio.to_thread(silent.arrived.wait)
        raise LookupError("refused")

    async def place_both(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client, asyncio.TaskGroup() as group:
            tasks.append(group.create_task(place(client, context={"job": 7})))
            group.create_task(refuse())

    with Server(silent) as server, pytest.raises(ExceptionGroup):
        asyncio.run(place_both(server.url))
    with pytest.raises(asyncio.CancelledError) as caught:
        tasks[0].result()
    known: Any = getattr(caught.value, CARRIED)
    assert (type(known), known.context) == (OutcomeUnknownError, {"job": 7})


def test_a_timeout_of_the_callers_has_the_outcome_in_its_chain() -> None:
    silent = Silent()

    async def wait(url: str) -> None:
        async with AsyncCallTransfer(base_url=url, api_key=KEY) as client, asyncio.timeout(None) as limit:
            await begin(client, silent)
            limit.reschedule(asyncio.get_running_loop().time())
            await place(client)

    with Server(silent) as server, pytest.raises(TimeoutError) as caught:
        asyncio.run(wait(server.url))
    assert isinstance(getattr(caught.value.__cause__, CARRIED), (OutcomeUnknownError, AbortError))


# What a signal handler raises, such as the soft time limit of a job queue.


class SoftLimit(Exception):
    pass


class SlottedLimit(Exception):
    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


@dataclass
class Raises:
    """A handler. It may raise what a socket raises, too."""

    error: BaseException

    def __call__(self, *_: object) -> None:
        raise self.error

    def method(self, *_: object) -> None:
        raise self.error

    def once(self, number: int, *_: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise self.error


Handler = Callable[..., None]
ALL_ERRORS = [
    SoftLimit("10 s"),
    TimeoutError("10 s"),
    ConnectionResetError(104, "not the socket's"),
    OSError(62, "timer"),
    ValueError("10 s"),
    StopAsyncIteration(),
    httpx2.ReadTimeout("of another client"),
    SlottedLimit("10 s"),
    KeyboardInterrupt(),
    SystemExit(3),
]
BY_KIND: dict[str, Callable[[Raises], Handler]] = {
    "object": lambda raises: raises,
    "method": lambda raises: raises.method,
    "partial": lambda raises: partial(Raises.method, raises),
    "function": lambda raises: lambda *_: raises(),
    "removes itself": lambda raises: raises.once,
}


@contextmanager
def handling(handler: Handler) -> Generator[None]:
    old = signal.signal(signal.SIGUSR1, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, old)


def interrupt_main() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)


def when_asked(_connection: Any, _request: Request, stop: threading.Event) -> None:
    """Interrupts the caller instead of an answer."""
    interrupt_main()
    stop.wait()


needs_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system has no signals for threads")


@needs_signals
@pytest.mark.parametrize("error", ALL_ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("kind", BY_KIND)
def test_what_a_signal_handler_raises_leaves_a_placement_with_its_outcome(error: BaseException, kind: str) -> None:
    listed = respond(200, {"calls": [], "meta": {"total": 0}}, {"date": "Mon, 02 Mar 2026 12:00:00 GMT"})
    with Server(when_asked, listed) as server, CallTransfer(base_url=server.url, api_key=KEY) as client:
        with handling(BY_KIND[kind](Raises(error))), pytest.raises(type(error)) as caught:
            place(client)
        assert caught.value is error
        known: Any = getattr(caught.value, CARRIED)
        assert isinstance(known, OutcomeUnknownError)
        assert caught.value.__cause__ is known
        assert "Call reconcile() before" in caught.value.__notes__[-1]
        assert [request.method for request in server.requests] == ["POST"]
        assert known.reconcile().reason == "none_found"


@needs_signals
@pytest.mark.parametrize("during", ["answer", "wait"])
def test_an_error_of_another_request_is_not_taken_for_this_one_s(during: str) -> None:
    other = ConfigurationError("timeout", "is wrong, in a request that the handler sent")
    assert other.outcome == "not_sent"
    retry: Any = {"on_unknown_outcome": "retry"} if during == "wait" else {}
    answer = when_asked if during == "answer" else hang_up
    with (
        Server(answer) as server,
        CallTransfer(base_url=server.url, api_key=KEY, retry=retry, on_retry=lambda _: interrupt_main()) as client,
        handling(Raises(other)),
        pytest.raises(OutcomeUnknownError) as caught,
    ):
        place(client)
    assert caught.value.outcome == "unknown"
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__cause__ is other
    assert len(server.requests) == 1


@needs_signals
@pytest.mark.parametrize("error", [SoftLimit(), ConnectionResetError(), BrokenPipeError()], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("own", [True, False], ids=["own client", "http_client"])
def test_what_a_signal_handler_raises_within_a_write_passes_through(
    monkeypatch: pytest.MonkeyPatch, own: bool, error: BaseException
) -> None:
    class Interrupted(socket.socket):
        def send(self, *given: Any) -> int:
            interrupt_main()
            return super().send(*given)

    with Server(silence) as server, httpx2.Client() as http, handling(Raises(error)):
        client = CallTransfer(base_url=server.url, api_key=KEY, http_client=None if own else http)
        monkeypatch.setattr(socket, "socket", Interrupted)
        with client, pytest.raises(type(error)) as caught:
            place(client)
        monkeypatch.undo()
    assert caught.value is error
    assert isinstance(getattr(error, CARRIED), OutcomeUnknownError)


@needs_signals
@pytest.mark.parametrize("error", [SoftLimit(), TimeoutError(), ConnectionResetError()], ids=lambda error: type(error).__name__)
def test_what_a_signal_handler_raises_ends_a_read_at_once(error: BaseException) -> None:
    with Server(when_asked) as server, CallTransfer(base_url=server.url, api_key=KEY) as client:
        with handling(Raises(error)), pytest.raises(type(error)) as caught:
            client.roles.list()
    assert caught.value is error
    known: Any = getattr(caught.value, CARRIED)
    assert (type(known), known.outcome, len(server.requests)) == (AbortError, "unknown", 1)


class Checked(BaseModel):
    """A model whose own check is interrupted."""

    type: str

    @field_validator("type")
    @classmethod
    def interrupt(cls, value: str) -> str:
        interrupt_main()
        return value


@needs_signals
@pytest.mark.parametrize("error", [SoftLimit(), ValueError(), TimeoutError()], ids=lambda error: type(error).__name__)
def test_an_interruption_while_the_answer_is_read_says_that_its_outcome_is_unknown(error: BaseException) -> None:
    with Server(respond(201, {"type": "initiated", "callId": "c-1"})) as server, handling(Raises(error)):
        with CallTransfer(base_url=server.url, api_key=KEY) as client, pytest.raises(type(error)) as caught:
            client.request("POST", "/api/v1/calls", body={}, model=Checked)
    assert caught.value is error
    known: Any = getattr(caught.value, CARRIED)
    assert type(known) is OutcomeUnknownError


@needs_signals
@pytest.mark.parametrize("where", ["on_retry", "token", "renewal"])
def test_an_interruption_in_a_function_of_the_callers_is_not_taken_for_an_error_of_it(where: str) -> None:
    def token(*, force_refresh: bool) -> str:
        if where == ("renewal" if force_refresh else "token"):
            interrupt_main()
        return "a-token"

    options: dict[str, Any] = {"on_retry": lambda _: interrupt_main()} if where == "on_retry" else {"access_token": token}
    if where == "on_retry":
        options["api_key"] = KEY
    answer = problem(401, "token_expired") if where == "renewal" else problem(429, "rate_limit_exceeded", {"retry-after": "9"})
    with Server(answer) as server, handling(Raises(TimeoutError())):
        with CallTransfer(base_url=server.url, account_id="a", **options) as client, pytest.raises(TimeoutError) as caught:
            place(client)
    assert type(caught.value) is TimeoutError
    assert getattr(caught.value, CARRIED).outcome == ("not_sent" if where == "token" else "rejected")


@needs_signals
def test_an_interruption_of_one_renewal_is_none_of_the_other_threads() -> None:
    begun, interrupted = threading.Event(), threading.Event()

    def token(*, force_refresh: bool) -> str:
        if not force_refresh:
            return "old-token"
        if threading.current_thread() is threading.main_thread():
            begun.set()
            interrupted.wait(20)
            interrupt_main()
        return "new-token"

    auth = Auth("access_token", token)
    with ThreadPoolExecutor(1) as pool, handling(Raises(SoftLimit())):

        def join() -> Any:
            begun.wait(20)
            pending = auth._pending
            assert pending is not None
            result = pending.result

            def wait(timeout: float | None = None) -> Credential:
                interrupted.set()
                return result(timeout)

            pending.result = wait  # type: ignore[method-assign]
            return auth.renew(Credential(Secret("old-token"), 0), 0.0, 20.0)

        other = pool.submit(join)
        with pytest.raises(SoftLimit):
            auth.renew(Credential(Secret("old-token"), 0), 0.0, 20.0)
        assert other.result().token.reveal() == "new-token"


@needs_signals
# A limit between the opening of a socket and its owner leaves it to the collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_no_number_is_dialled_twice_by_the_recipe_under_soft_limits() -> None:
    """The recipe as it stands on the page: it delivers each job until it is settled, with a soft limit by chance."""
    jobs, random, lots = 150, Random(1), Random(2)
    source = ast.parse((Path(__file__).parents[3] / "examples/python/place_once.py").read_text())
    handle = next(node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == "handle")
    dialled: Counter[str] = Counter()
    limits: Counter[str] = Counter()

    def answer(connection: Any, request: Request, stop: threading.Event) -> None:
        # The server decides first, and is interrupted by nothing.
        kind = lots.random()
        if kind < 0.2:
            return problem(429, "rate_limit_exceeded", {"retry-after": "0"})(connection, request, stop)
        dialled[request.json()["toNumber"]] += 1
        stop.wait(lots.random() * 0.002)
        return (hang_up if kind < 0.3 else respond(201, {"type": "initiated", "callId": "c-1"}))(connection, request, stop)

    errors = [SoftLimit, TimeoutError, ConnectionResetError, ValueError]

    def limit(*_: object) -> None:
        error = random.choice(errors)
        limits[error.__name__] += 1
        raise error("the soft limit")

    logging.getLogger("call_transfer").setLevel(logging.CRITICAL + 1)
    old = signal.signal(signal.SIGALRM, limit)
    try:
        with (
            Server(answer) as server,
            CallTransfer(base_url=server.url, api_key=KEY, timeout=5, max_retries=1, retry={"budget": False}) as client,
        ):
            names: dict[str, Any] = {"client": client, "jobs": {}, "CallTransferError": CallTransferError, "demo": SimpleNamespace()}
            names["demo"].flows, names["demo"].numbers = SimpleNamespace(published="f-1"), SimpleNamespace(working="+15550100001")
            exec(compile(ast.Module([handle], []), "place_once.py", "exec"), names)
            for number in range(jobs):
                for _ in range(4):
                    with suppress(CallTransferError, *errors):
                        try:
                            signal.setitimer(signal.ITIMER_REAL, random.random() * 0.012 + 1e-6)
                            names["handle"](f"job-{number}", f"+1555{number:07}")
                        finally:
                            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, old)
        logging.getLogger("call_transfer").setLevel(logging.NOTSET)
    assert limits.total() > jobs / 10
    assert [number for number, times in dialled.items() if times > 1] == []
