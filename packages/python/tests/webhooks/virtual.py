"""A driver whose time is virtual: the third one, beside threads and asyncio. It runs a receiver and its store step by step."""

import heapq
import itertools
import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, cast

from call_transfer.webhooks import MemoryEventStore, ReceiverOptions, WebhookResponse, sign_webhook
from call_transfer.webhooks._effects import Do, Effect, Signal, Start
from call_transfer.webhooks._receiver import Receiver, settings_of

SECRET = "secret-of-a-test"
BEGIN = 1_772_452_800.0


@dataclass
class Slow:
    """What a function returns that takes so many seconds. `call` runs at their end."""

    seconds: float
    call: Callable[[], Any]


@dataclass(eq=False)
class VirtualSignal:
    world: "World"
    is_set: bool = False
    waiting: "list[Running]" = field(default_factory=list["Running"])

    def set(self) -> None:
        self.is_set = True
        for running in self.waiting:
            self.world.resume_at(self.world.now(), running)
        self.waiting.clear()


@dataclass(eq=False)
class Running:
    """Work that was started."""

    work: Generator[Effect, Any, Any]
    result: Any = None
    is_over: bool = False
    turn: int = 0


class World:
    """The clock, and all work by the time at which it goes on."""

    def __init__(self) -> None:
        self.time = BEGIN
        self._due: list[tuple[float, int, Running, int, Callable[[], Any]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self.time

    def signal(self) -> Signal:
        return VirtualSignal(self)

    def start(self, work: Generator[Effect, Any, Any]) -> Running:
        running = Running(work)
        self.resume_at(self.time, running)
        return running

    def resume_at(self, time: float, running: Running, call: Callable[[], Any] = lambda: None) -> None:
        heapq.heappush(self._due, (time, next(self._order), running, running.turn, call))

    def advance(self, seconds: float) -> None:
        """Moves the clock, and does what is due until then."""
        until = self.time + seconds
        while self._due and self._due[0][0] <= until:
            time, _, running, turn, call = heapq.heappop(self._due)
            self.time = max(self.time, time)
            if turn == running.turn and not running.is_over:
                self._step(running, call)
        self.time = until

    def stall(self, seconds: float) -> None:
        """Lets time pass in which the process does not run."""
        self.time += seconds

    def _step(self, running: Running, call: Callable[[], Any]) -> None:
        running.turn += 1
        value: Any = None
        error: Exception | None = None
        while True:
            try:
                value = call()
                if isinstance(value, Slow):
                    self.resume_at(self.time + value.seconds, running, value.call)
                    return
            except Exception as thrown:
                error = thrown
            try:
                effect = running.work.throw(error) if error else running.work.send(value)
            except StopIteration as end:
                running.result, running.is_over = end.value, True
                return
            value = error = None
            if isinstance(effect, Do):
                call = effect.call
            elif isinstance(effect, Start):
                self.start(effect.work)
                call = _nothing
            else:
                signal = cast("VirtualSignal | None", effect.signal)
                if signal is not None and not signal.is_set:
                    signal.waiting.append(running)
                self.resume_at(self.time + (0 if signal is not None and signal.is_set else effect.seconds), running)
                return


def _nothing() -> None:
    return None


class Store:
    """The store of some processes, which can fail."""

    def __init__(self, world: World) -> None:
        self.memory = MemoryEventStore(clock=world.now)
        self.steps_at_once = 100
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
    """A receiver in the world, and what it was told."""

    def __init__(self, world: World, store: Any, on_event: Callable[[Any], Any] | None = None, **options: Any) -> None:
        self.world = world
        self.handled = 0
        self.codes: list[str] = []
        self.errors: list[BaseException] = []

        def count(event: Any) -> Any:
            self.handled += 1
            return on_event(event) if on_event else None

        def on_error(error: BaseException, code: str) -> None:
            self.codes.append(code)
            self.errors.append(error)

        given = cast("ReceiverOptions", {"on_error": on_error, "clock": world.now, **options})
        self.receiver = Receiver(SECRET, count, settings_of(store, given), world)

    def begin(self, event_id: str = "1") -> Running:
        """Delivers a copy of an event, signed now."""
        body = json.dumps({"type": "transfer.offer", "id": event_id})
        headers = {"Service-Signature": sign_webhook(body, secret=SECRET, at=self.world.now())}
        return self.world.start(self.receiver.receive("POST", headers, lambda: body))

    def deliver(self, event_id: str = "1", within: float = 0.0) -> WebhookResponse:
        """Delivers a copy and returns its answer, which must be there by then."""
        running = self.begin(event_id)
        self.world.advance(within)
        assert running.is_over
        response: WebhookResponse = running.result
        return response


def numbered(process: "list[int]") -> Callable[[Any], WebhookResponse]:
    """Answers that differ each time."""

    def on_event(event: Any) -> WebhookResponse:
        process.append(len(process))
        return WebhookResponse(200, f"handling {len(process)}")

    return on_event
