"""Handlers over a real Redis. REDIS_URL names it, for example by tests/receiving/python.check.ts."""

import asyncio
import os
import threading
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from call_transfer.webhooks import AsyncWebhookHandler, WebhookHandler, WebhookResponse
from call_transfer.webhooks.redis import redis_event_store

from .virtual import SECRET, signed

URL = os.environ["REDIS_URL"]
# A machine may be so busy that nothing else ends in its time.
PATIENT: dict[str, Any] = {"duplicate_wait": 60, "store_timeout": 60, "lease_duration": 60}


class Run:
    """Two handlers, as two processes have them, and what they were told."""

    def __init__(self, events: int) -> None:
        self.ids = [str(uuid.uuid4()) for _ in range(events)]
        self.handled: Counter[str] = Counter()
        self.codes: list[str] = []
        self.answers: dict[str, set[tuple[int, bytes | None]]] = defaultdict(set)
        self._lock = threading.Lock()

    def on_event(self, event: Any) -> WebhookResponse:
        with self._lock:
            self.handled[event.id] += 1
        return WebhookResponse(200, str(uuid.uuid4()))

    def on_error(self, _: BaseException, code: str) -> None:
        self.codes.append(code)

    def assert_once(self) -> None:
        assert self.codes == []
        assert {event: self.handled[event] for event in self.ids} == dict.fromkeys(self.ids, 1)
        assert {len(self.answers[event]) for event in self.ids} == {1}


@pytest.fixture
def client() -> Iterator[Any]:
    with Redis.from_url(URL) as client:
        yield client


@pytest.mark.parametrize("events", [1000, 2000])
def test_a_burst_of_doubled_offers_is_handled_once_by_two_processes_on_asyncio(events: int) -> None:
    run = Run(events)

    async def main() -> None:
        async with AsyncRedis.from_url(URL) as one, AsyncRedis.from_url(URL) as two:
            handlers = [
                AsyncWebhookHandler(
                    secret=SECRET,
                    on_event=run.on_event,
                    on_error=run.on_error,
                    store=redis_event_store(lambda script, key, args, client=client: client.eval(script, 1, key, *args)),  # type: ignore[misc]
                    **PATIENT,
                )
                for client in (one, two)
            ]

            async def deliver(handler: AsyncWebhookHandler, event: str) -> None:
                response = await handler.handle(*signed(event))
                run.answers[event].add((response.status, response.body))

            await asyncio.gather(*(deliver(handler, event) for event in run.ids for handler in handlers))

    asyncio.run(main())
    run.assert_once()


def test_a_burst_of_doubled_offers_is_handled_once_by_two_processes_with_threads(client: Any) -> None:
    run = Run(1000)
    store = redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args))
    handlers = [WebhookHandler(secret=SECRET, on_event=run.on_event, on_error=run.on_error, store=store, **PATIENT) for _ in range(2)]

    def deliver(given: tuple[WebhookHandler, str]) -> tuple[str, tuple[int, bytes | None]]:
        handler, event = given
        response = handler.handle(*signed(event))
        return event, (response.status, response.body)

    with ThreadPoolExecutor(32) as pool:
        for event, answer in pool.map(deliver, [(handler, event) for event in run.ids for handler in handlers]):
            run.answers[event].add(answer)
    run.assert_once()


def test_a_response_expires_after_the_retention_and_its_key_has_the_prefix(client: Any) -> None:
    run = Run(1)
    (event,) = run.ids
    store = redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args), key_prefix="front-desk:", retention=1000)
    handler = WebhookHandler(secret=SECRET, on_event=run.on_event, store=store, **PATIENT)
    assert handler.handle(*signed(event)).status == 200
    assert 900 < client.ttl(f"front-desk:id:{event}") <= 1000
    assert client.hget(f"front-desk:id:{event}", "answer").startswith(b'{"version":1,"status":200,')
