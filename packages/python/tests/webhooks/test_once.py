"""What receivers promise about copies, leases and stores that fail, on virtual time."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from call_transfer.webhooks import EventClaim, WebhookResponse
from call_transfer.webhooks.postgres import postgres_inbox

from .virtual import MemoryStore, Process, Running, Slow, Store, World, down, numbered


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def store(world: World) -> Store:
    return Store(world)


def texts(*copies: Running) -> set[tuple[int, bytes | None]]:
    assert all(copy.is_over for copy in copies)
    return {(copy.result.status, copy.result.body) for copy in copies}


def slow(seconds: float) -> Callable[[Any], Slow]:
    handled: list[int] = []
    return lambda event: Slow(seconds, lambda: numbered(handled)(event))


def hang(name: str, call: Callable[[], Any]) -> Slow:
    return Slow(1e9, call)


class TestCopiesInOneProcess:
    def test_join_while_the_first_is_handled_and_the_store_is_asked_once(self, world: World, store: Store) -> None:
        process = Process(world, store, slow(0.1))
        copies = [process.begin() for _ in range(5)]
        world.advance(1)
        assert texts(*copies) == {(200, b"handling 1")}
        assert (process.handled, store.steps) == (1, ["claim", "complete"])

    @pytest.mark.parametrize("failing", [down, hang])
    def test_get_one_answer_while_the_store_fails(self, world: World, store: Store, failing: Any) -> None:
        store.around = failing
        process = Process(world, store, slow(0.1))
        copies = [process.begin() for _ in range(3)]
        world.advance(5)
        later = process.begin()
        world.advance(5)
        assert texts(*copies, later) == {(200, b"handling 1")}
        assert process.codes[0] == ("store_failed" if failing is down else "store_timeout")

    def test_get_one_answer_after_the_store_has_forgotten_everything(self, world: World, store: Store) -> None:
        process = Process(world, store, numbered([]))
        first = process.deliver()
        store.memory = MemoryStore(world.now)
        assert process.deliver().body == first.body

    def test_are_handled_if_the_first_fails_one_after_the_other(self, world: World, store: Store) -> None:
        handled: list[float] = []

        def fail() -> WebhookResponse:
            handled.append(world.now())
            if len(handled) == 1:
                raise RuntimeError("It fails.")
            return WebhookResponse(503 if len(handled) == 2 else 200)

        process = Process(world, store, lambda event: Slow(0.1, fail))
        copies = [process.begin() for _ in range(4)]
        world.advance(2)
        assert [copy.result.status for copy in copies] == [500, 503, 200, 200]
        assert [round(at - handled[0], 3) for at in handled] == [0, 0.1, 0.2]

    def test_share_a_refusal_of_the_store_instead_of_waiting_one_after_the_other(self, world: World, store: Store) -> None:
        store.around = hang
        process = Process(world, store, on_store_error="reject")
        copies = [process.begin() for _ in range(3)]
        world.advance(1)
        assert texts(*copies) == {(503, b"The webhook cannot be handled now. Send it again.\n")}
        assert (process.handled, process.codes) == (0, ["store_timeout"] * 3)
        assert str(process.errors[1].__cause__) == "The event store did not answer within 1 s."

    def test_get_503_and_the_code_duplicate_timeout_after_duplicate_wait(self, world: World, store: Store) -> None:
        process = Process(world, store, slow(30))
        process.begin()
        copy = process.begin()
        world.advance(8)
        assert (copy.result.status, copy.result.headers["retry-after"], process.codes) == (503, "1", ["duplicate_timeout"])

    @pytest.mark.parametrize("kind", ["store", "inbox"])
    def test_wait_for_duplicate_wait_in_all_also_when_one_that_waited_takes_over(self, world: World, store: Store, kind: str) -> None:
        # Another process has the event, and keeps it.
        store.memory.claim("id:1", "other", 60)

        @contextmanager
        def transaction() -> Iterator[None]:
            yield

        inbox = postgres_inbox(transaction=transaction, query=lambda tx, sql, args: [(False,)])
        world.is_async = kind == "store"
        process = Process(world, store) if kind == "store" else Process(world, None, inbox=inbox)
        first = process.begin()
        world.advance(4)
        copy = process.begin()
        world.advance(4.3)
        assert (first.is_over, copy.is_over) == (True, False)
        world.advance(4)
        assert (copy.is_over, process.codes) == (True, ["duplicate_timeout"] * 2)

    def test_get_the_answer_that_came_first_of_two_handlings(self, world: World) -> None:
        answer = numbered([])
        process = Process(world, None, lambda event: Slow(100 if process.handled == 1 else 0, lambda: answer(event)))
        first = process.begin()
        world.advance(69)
        assert process.deliver(within=1).body == b"handling 1"
        world.advance(40)
        assert texts(first) == {(200, b"handling 1")}
        assert process.deliver().body == b"handling 1"

    def test_may_be_handled_when_a_handling_never_ends(self, world: World, store: Store) -> None:
        process = Process(world, store, lambda event: Slow(1e9 if process.handled == 1 else 0, WebhookResponse))
        process.begin()
        world.advance(68)
        assert process.deliver(within=1).status == 204


class TestCopiesInTwoProcesses:
    def test_get_the_first_answer_with_its_status_type_and_body(self, world: World, store: Store) -> None:
        answer = WebhookResponse(409, json.dumps({"in_progress": True}), {"content-type": "application/json", "x-other": "1"})
        one, two = Process(world, store, lambda event: Slow(0.3, lambda: answer)), Process(world, store)
        first, copy = one.begin(), two.begin()
        world.advance(1)
        assert first.result == answer
        assert copy.result == WebhookResponse(409, answer.body, {"content-type": "application/json"})
        assert (one.handled, two.handled) == (1, 0)

    def test_are_handled_after_the_lease_of_a_process_that_crashed(self, world: World, store: Store) -> None:
        store.memory.claim("id:1", "a crashed process", 2.0)
        process = Process(world, store)
        copy = process.begin()
        world.advance(1.9)
        assert process.handled == 0
        world.advance(0.4)
        assert (process.handled, copy.result.status) == (1, 204)


class TestLease:
    def test_is_extended_while_the_handling_takes_longer(self, world: World, store: Store) -> None:
        one, two = Process(world, store, slow(7)), Process(world, store)
        first, copy = one.begin(), two.begin()
        world.advance(8)
        assert texts(first, copy) == {(200, b"handling 1")}
        assert two.handled == 0

    def test_is_no_longer_extended_after_60_seconds(self, world: World, store: Store) -> None:
        Process(world, store, slow(1e9)).begin()
        world.advance(61)
        two = Process(world, store)
        assert two.deliver(within=2).status == 204

    def test_is_not_taken_again_by_a_slow_extension_when_the_handling_has_failed(self, world: World, store: Store) -> None:
        def extending_slowly(name: str, call: Callable[[], Any]) -> Any:
            return Slow(0.6, call) if store.steps.count("claim") > 1 else call()

        store.around = extending_slowly

        def fail() -> None:
            raise RuntimeError("It fails.")

        Process(world, store, lambda event: Slow(0.7, fail)).begin()
        world.advance(3)
        assert store.memory.claim("id:1", "other", 1).state == "claimed"

    def test_is_claimed_again_if_it_ran_out_before_it_was_received(self, world: World, store: Store) -> None:
        process = Process(world, store, store_timeout=10)

        def given_late(name: str, call: Callable[[], Any]) -> Any:
            result = call()
            return Slow(5, lambda: result)

        store.around = given_late
        process.begin()
        world.advance(0)
        store.around = lambda name, call: call()
        world.advance(5)
        assert store.steps == ["claim", "claim", "complete"]

    def test_of_a_process_that_stalled_is_lost_and_the_answer_stored_first_counts(self, world: World, store: Store) -> None:
        handled: list[int] = []
        one = Process(world, store, lambda event: Slow(0.5, lambda: numbered(handled)(event)))
        two = Process(world, store, numbered(handled))
        first = one.begin()
        world.advance(0.1)
        world.stall(5)
        # Another process runs meanwhile, whose store has given up the lease.
        store.memory.claim("id:1", "other", 0.001)
        world.time += 0.01
        second = two.begin()
        world.advance(1)
        assert len(texts(first, second)) == 1

    def test_that_was_lost_and_came_back_is_kept_until_the_answer_is_stored(self, world: World, store: Store) -> None:
        process = Process(world, store, slow(1))
        first = process.begin()
        world.advance(0.1)
        store.memory = MemoryStore(world.now)
        # It crashes. The extension after two thirds of a second finds it, and so does the end of the handling.
        store.memory.claim("id:1", "other", 1.1)
        world.advance(3)
        assert texts(first) == {(200, b"handling 1")}
        assert "release" not in store.steps

    def test_sends_the_stored_answer_and_reports_that_the_event_was_handled_twice(self, world: World, store: Store) -> None:
        one = Process(world, store, slow(0.5))
        first = one.begin()
        world.advance(0.1)
        answer = '{"version":1,"status":409,"owner":"other"}'
        store.memory = MemoryStore(world.now)
        store.memory.complete("id:1", "other", answer)
        world.advance(1)
        assert (first.result.status, one.codes) == (409, ["handled_twice"])
        assert one.deliver().status == 409


class TestAnswerThatTheStoreCouldNotKeep:
    def test_is_asked_once_more_before_the_answer_when_the_store_was_down_from_the_start(self, world: World, store: Store) -> None:
        store.around = lambda name, call: down(name, call) if len(store.steps) < 3 else call()
        Process(world, store).deliver(within=0.1)
        assert store.steps == ["claim", "complete", "complete"]

    def test_is_tried_again_for_store_timeout_when_the_store_gave_the_event(self, world: World, store: Store) -> None:
        store.around = lambda name, call: down(name, call) if 1 < len(store.steps) < 6 else call()
        process = Process(world, store)
        process.deliver(within=1)
        assert (store.steps[0], set(store.steps[1:]), process.codes) == ("claim", {"complete"}, [])

    def test_that_another_process_is_about_to_give_is_waited_for(self, world: World, store: Store) -> None:
        one, two = Process(world, store, slow(0.5)), Process(world, store, lambda event: Slow(1, lambda: WebhookResponse(409)))
        first = one.begin()
        world.advance(0.1)
        store.memory = MemoryStore(world.now)
        second = two.begin()
        world.advance(3)
        assert (first.result.status, second.result.status, one.codes) == (409, 409, ["handled_twice"])

    def test_does_not_delay_the_response_for_ever_if_the_store_refuses_it_though_no_other_owner_has_the_event(
        self, world: World, store: Store
    ) -> None:
        store.around = lambda name, call: False if name == "complete" else call()
        process = Process(world, store)
        assert process.deliver(within=5).status == 204
        assert process.codes == ["store_failed"]


class TestLateClaim:
    def test_is_given_back_if_the_event_was_refused(self, world: World, store: Store) -> None:
        store.around = lambda name, call: Slow(3, call) if name == "claim" else call()
        process = Process(world, store, on_store_error="reject", lease_duration=60)
        assert process.deliver(within=1).status == 503
        world.advance(3)
        assert store.memory.claim("id:1", "other", 1).state == "claimed"
        assert process.handled == 0


class TestBusyStore:
    def test_is_not_a_store_that_is_down(self, world: World, store: Store) -> None:
        store.max_concurrency = 2
        store.around = lambda name, call: Slow(0.4, call)
        process = Process(world, store)
        copies = [process.begin(str(number)) for number in range(8)]
        world.advance(60)
        assert {copy.result.status for copy in copies} == {204}
        assert (process.handled, process.codes) == (8, [])

    def test_stores_answers_first_so_that_no_lease_runs_out_meanwhile(self, world: World, store: Store) -> None:
        store.max_concurrency = 1
        store.around = lambda name, call: Slow(0.3, call)
        process = Process(world, store)
        for number in range(5):
            process.begin(str(number))
        world.advance(0.7)
        # The turn of the second claim came before there was an answer.
        assert store.steps == ["claim", "claim", "complete"]

    def test_is_reported_as_busy_when_a_step_waits_for_longer_than_duplicate_wait(self, world: World, store: Store) -> None:
        store.max_concurrency = 1
        store.around = lambda name, call: Slow(0.45, call)
        process = Process(world, store, duplicate_wait=1, on_store_error="reject")
        copies = [process.begin(str(number)) for number in range(10)]
        world.advance(30)
        assert "store_timeout" in process.codes
        assert {copy.result.status for copy in copies} == {204, 503}

    def test_is_found_to_be_down_by_one_step_for_all_that_wait(self, world: World, store: Store) -> None:
        store.max_concurrency = 1
        store.around = hang
        process = Process(world, store, on_store_error="reject")
        copies = [process.begin(str(number)) for number in range(10)]
        world.advance(1)
        assert {copy.result.status for copy in copies} == {503}
        assert set(process.codes) == {"store_timeout"}

    def test_that_hangs_holds_only_so_many_late_steps(self, world: World, store: Store) -> None:
        store.around = hang
        store.max_concurrency = 2
        process = Process(world, store)
        for number in range(150):
            process.begin(str(number))
            world.advance(1)
        assert 100 <= len(store.steps) <= 103


class TestStoreThatFails:
    @pytest.mark.parametrize(
        "claim",
        [None, EventClaim("other", None), EventClaim("completed", None), EventClaim("completed", "{}")],  # type: ignore[arg-type]
    )
    def test_by_nonsense_does_not_keep_events_from_being_handled(self, world: World, store: Store, claim: Any) -> None:
        store.around = lambda name, call: claim if name == "claim" else call()
        process = Process(world, store)
        assert process.deliver().status == 204
        assert process.codes == ["store_failed"]

    def test_does_not_change_the_answer_when_it_cannot_release_an_event(self, world: World, store: Store) -> None:
        store.around = lambda name, call: down(name, call) if name == "release" else call()
        process = Process(world, store, lambda event: WebhookResponse(500, "no"))
        assert process.deliver().body == b"no"
        assert process.codes == ["store_failed"]

    def test_names_its_last_error_when_a_copy_has_waited_too_long(self, world: World, store: Store) -> None:
        store.memory.claim("id:1", "other", 60)
        process = Process(world, store)
        copy = process.begin()
        world.advance(4)
        store.around = down
        world.advance(5)
        assert (copy.result.status, process.codes) == (503, ["duplicate_timeout"])
        assert str(process.errors[0].__cause__) == "The store is down."

    def test_is_a_problem_of_a_readiness_probe(self, world: World, store: Store) -> None:
        process = Process(world, store)

        def problems() -> list[str]:
            running = world.start(process.core.check_readiness())
            world.advance(2)
            return [problem.code for problem in running.result]

        assert problems() == []
        assert store.steps == ["claim", "release"]
        store.around = hang
        assert problems() == ["store_timeout"]


class TestResponsesInMemory:
    def test_are_evicted_above_max_answers_which_is_reported_at_the_first_and_at_ten_times_as_many(self, world: World) -> None:
        process = Process(world, None, max_answers=1)
        for number in range(30):
            process.deliver(str(number))
        assert process.codes == ["store_evicted_early"] * 2
        assert str(process.errors[0]).startswith("1 responses were evicted within 600 s")
        process.deliver("29")
        assert process.handled == 30
        process.deliver("0")
        assert process.handled == 31

    def test_have_16_million_characters_at_most(self, world: World) -> None:
        process = Process(world, None, lambda event: WebhookResponse(200, b"x" * 16_384), max_answers=10**6)
        for number in range(800):
            process.deliver(str(number))
        assert process.codes[0] == "store_evicted_early"
        assert 700 < len(process.core._deduplicator._responses) < 800
