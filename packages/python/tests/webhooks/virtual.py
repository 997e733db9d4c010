"""A driver whose time is virtual: the third one, beside threads and asyncio. It runs a handler and its store step by step."""

import heapq
import inspect
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, cast

from call_transfer.webhooks import EventClaim, WebhookHandlerOptions, WebhookResponse, sign_webhook
from call_transfer.webhooks._handler import Core
from call_transfer.webhooks._runtime import Signal

SECRET = "secret-of-a-test"


def offer(event_id: str = "1", **fields: Any) -> bytes:
    """The body of an offer."""
    return json.dumps({"type": "transfer.offer", "id": event_id, **fields}).encode()


BODY = offer(destinationId="front-desk", other=[1])


def headers_of(body: bytes = BODY, at: float | None = None) -> dict[str, str]:
    """The headers of a body that the platform sends, now or at a time."""
    return {"Service-Signature": sign_webhook(body, secret=SECRET, timestamp=at)}


def signed(event_id: str = "1", at: float | None = None) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of an offer."""
    return offer(event_id), headers_of(offer(event_id), at)


BEGIN = 1_772_452_800.0


@dataclass
class Slow:
    """Something awaitable that takes so many seconds. `call` runs at their end."""

    seconds: float
    call: Callable[[], Any]

    def __await__(self) -> Generator[Any, Any, Any]:
        yield None, self.seconds
        return self.call()


@dataclass
class Wait:
    signal: Signal | None
    seconds: float

    def __await__(self) -> Generator[Any, Any, None]:
        yield self.signal, self.seconds


@dataclass(eq=False)
class Running:
    """Work that was started."""

    work: Coroutine[Any, Any, Any]
    result: Any = None
    is_over: bool = False
    turn: int = 0


class World:
    """The clock, and all work by the time at which it goes on."""

    is_async = True

    def __init__(self) -> None:
        self.time = BEGIN
        self._due: list[tuple[float, int, Running, int]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self.time

    async def wait(self, signal: Signal | None, seconds: float) -> None:
        if signal is None or not signal.done():
            await Wait(signal, seconds)

    async def call(self, function: Callable[[], Any]) -> Any:
        value = function()
        return await value if inspect.isawaitable(value) else value

    def start(self, work: Coroutine[Any, Any, Any]) -> Running:
        running = Running(work)
        self.resume_at(self.time, running)
        return running

    def resume_at(self, time: float, running: Running) -> None:
        self._push(time, running, running.turn)

    def _push(self, time: float, running: Running, turn: int) -> None:
        heapq.heappush(self._due, (time, next(self._order), running, turn))

    def advance(self, seconds: float) -> None:
        """Moves the clock, and does what is due until then."""
        until = self.time + seconds
        while self._due and self._due[0][0] <= until:
            time, _, running, turn = heapq.heappop(self._due)
            self.time = max(self.time, time)
            if turn == running.turn and not running.is_over:
                self._step(running)
        self.time = until

    def stall(self, seconds: float) -> None:
        """Lets time pass in which the process does not run."""
        self.time += seconds

    def _step(self, running: Running) -> None:
        running.turn += 1
        try:
            signal, seconds = running.work.send(None)
        except StopIteration as end:
            running.result, running.is_over = end.value, True
            return
        if signal is not None:
            turn = running.turn
            signal.add_done_callback(lambda _: self._push(self.time, running, turn))
        self.resume_at(self.time + seconds, running)


class MemoryStore:
    """An event store in memory."""

    retention = 86_400.0

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.held: dict[str, tuple[str, str | None, float]] = {}

    def _find(self, key: str) -> tuple[str, str | None] | None:
        owner, response, until = self.held.get(key, ("", None, 0.0))
        return (owner, response) if until > self.clock() else None

    def claim(self, key: str, owner: str, lease_duration: float, /) -> EventClaim:
        found = self._find(key)
        if found is not None and found[1] is not None:
            return EventClaim("completed", found[1])
        if found is not None and found[0] != owner:
            return EventClaim("in_progress")
        self.held[key] = (owner, None, self.clock() + lease_duration)
        return EventClaim("claimed")

    def complete(self, key: str, owner: str, response: str, /) -> bool:
        found = self._find(key)
        if found is not None and found != (owner, None):
            return False
        self.held[key] = (owner, response, self.clock() + self.retention)
        return True

    def release(self, key: str, owner: str, /) -> None:
        if self._find(key) == (owner, None):
            del self.held[key]


class Store:
    """The store of some processes, which can fail."""

    def __init__(self, world: World) -> None:
        self.memory = MemoryStore(world.now)
        self.max_concurrency = 100
        self.steps: list[str] = []
        """The steps that it was asked for, e.g. `claim`."""
        self.around: Callable[[str, Callable[[], Any]], Any] = lambda name, call: call()
        """How it answers a step."""

    def claim(self, *values: Any) -> Any:
        return self._step("claim", lambda: self.memory.claim(*values))

    def complete(self, *values: Any) -> Any:
        return self._step("complete", lambda: self.memory.complete(*values))

    def release(self, *values: Any) -> Any:
        return self._step("release", lambda: self.memory.release(*values))

    def _step(self, name: str, call: Callable[[], Any]) -> Any:
        self.steps.append(name)
        return self.around(name, call)


def down(name: str, call: Callable[[], Any]) -> Any:
    """A store that fails at once."""
    raise OSError("The store is down.")


class Process:
    """A handler in the world, and what it reported."""

    def __init__(
        self, world: World, store: Any, on_event: Callable[[Any], Any] | None = None, inbox: Any = None, **options: Any
    ) -> None:
        self.world = world
        self.handled = 0
        self.codes: list[str] = []
        self.errors: list[BaseException] = []

        def count(event: Any, *transaction: Any) -> Any:
            self.handled += 1
            return on_event(event) if on_event else None

        def on_error(error: BaseException, code: str) -> None:
            self.codes.append(code)
            self.errors.append(error)

        given = cast("WebhookHandlerOptions", {"on_error": on_error, "clock": world.now, **options})
        runtime = cast("Any", world)
        self.core = Core(runtime, SECRET, count, store, inbox, given)

    def begin(self, event_id: str = "1") -> Running:
        """Delivers an event, signed now."""
        body, headers = signed(event_id, self.world.now())
        return self.world.start(self.core.receive("POST", headers, lambda: body))

    def deliver(self, event_id: str = "1", within: float = 0.0) -> WebhookResponse:
        """Delivers an event and returns its response, which must be there by then."""
        running = self.begin(event_id)
        self.world.advance(within)
        assert running.is_over
        response: WebhookResponse = running.result
        return response


def numbered(handled: "list[int]") -> Callable[[Any], WebhookResponse]:
    """Responses that differ each time."""

    def on_event(event: Any) -> WebhookResponse:
        handled.append(len(handled))
        return WebhookResponse(200, f"handling {len(handled)}")

    return on_event


def awaited(store: Any) -> Any:
    """The store with async methods."""

    def method(name: str) -> Callable[..., Awaitable[Any]]:
        async def call(_: object, *values: Any) -> Any:
            return getattr(store, name)(*values)

        return call

    return type("Awaited", (), {name: method(name) for name in ("claim", "complete", "release")})()
