"""What receivers promise about copies, leases and stores that fail, on virtual time."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from call_transfer.webhooks import EventClaim, MemoryEventStore, WebhookResponse

from .virtual import Process, Running, Slow, Store, World, down, numbered


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
        store.memory = MemoryEventStore(clock=world.now)
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
        process = Process(world, store, on_store_error="refuse")
        copies = [process.begin() for _ in range(3)]
        world.advance(1)
        assert texts(*copies) == {(503, b"The webhook cannot be handled now. Send it again.\n")}
        assert (process.handled, process.codes) == (0, ["store_timeout"] * 3)
        assert str(process.errors[1].__cause__) == "The event store did not answer within 1 s."

    def test_get_503_and_the_code_busy_after_wait_time(self, world: World, store: Store) -> None:
        process = Process(world, store, slow(30))
        process.begin()
        copy = process.begin()
        world.advance(8)
        assert (copy.result.status, copy.result.headers["retry-after"], process.codes) == (503, "1", ["busy"])

    def test_get_409_if_duplicates_are_refused(self, world: World, store: Store) -> None:
        process = Process(world, store, slow(0.1), duplicates="refuse")
        first, copy = process.begin(), process.begin()
        world.advance(1)
        assert (first.result.status, copy.result.status) == (200, 409)
        assert process.deliver().status == 409
        assert Process(world, store, duplicates="refuse").deliver().status == 409

    def test_are_handled_again_when_the_answer_is_no_longer_kept(self, world: World, store: Store) -> None:
        process = Process(world, store, keep_time=600)
        process.deliver()
        world.advance(599)
        process.deliver()
        assert process.handled == 1
        world.advance(2)
        process.deliver()
        assert process.handled == 2

    def test_may_be_handled_when_a_handling_never_ends(self, world: World, store: Store) -> None:
        process = Process(world, store, lambda event: Slow(1e9 if process.handled == 1 else 0, WebhookResponse))
        process.begin()
        world.advance(68)
        assert process.deliver(within=1).status == 204


class TestCopiesInTwoProcesses:
    def test_get_the_first_answer_with_its_status_type_and_body(self, world: World, store: Store) -> None:
        answer = WebhookResponse(409, json.dumps({"busy": True}), {"content-type": "application/json", "x-other": "1"})
        one, two = Process(world, store, lambda event: Slow(0.3, lambda: answer)), Process(world, store)
        first, copy = one.begin(), two.begin()
        world.advance(1)
        assert first.result == answer
        assert copy.result == WebhookResponse(409, answer.body, {"content-type": "application/json"})
        assert (one.handled, two.handled) == (1, 0)

    def test_are_handled_after_the_lease_of_a_process_that_crashed(self, world: World, store: Store) -> None:
        store.memory.claim("default:id:1", "a crashed process", 2.0)
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
        assert store.memory.claim("default:id:1", "other", 1).state == "mine"

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
        store.memory.claim("default:id:1", "other", 0.001)
        world.time += 0.01
        second = two.begin()
        world.advance(1)
        assert len(texts(first, second)) == 1

    def test_sends_the_stored_answer_and_reports_that_the_event_was_handled_twice(self, world: World, store: Store) -> None:
        one = Process(world, store, slow(0.5))
        first = one.begin()
        world.advance(0.1)
        answer = '{"version":1,"status":409,"owner":"other"}'
        store.memory = MemoryEventStore(clock=world.now)
        store.memory.complete("default:id:1", "other", answer, 600)
        world.advance(1)
        assert (first.result.status, one.codes) == (409, ["handled_twice"])
        assert one.deliver().status == 409


class TestAnswerThatTheStoreCouldNotKeep:
    def test_is_stored_when_the_store_works_again_and_others_get_it(self, world: World, store: Store) -> None:
        one, two = Process(world, store, numbered([])), Process(world, store)
        store.around = down
        first = one.deliver(within=0.1)
        world.advance(3600)
        store.around = lambda name, call: call()
        world.advance(5.1)
        assert two.deliver().body == first.body
        assert two.handled == 0
        steps = len(store.steps)
        world.advance(3600)
        assert len(store.steps) == steps

    def test_is_stored_soon_after_the_store_has_answered_another_event(self, world: World, store: Store) -> None:
        one = Process(world, store)
        store.around = down
        one.deliver(within=0.1)
        world.advance(60)
        store.around = lambda name, call: call()
        one.deliver("2", within=0.2)
        assert store.memory.claim("default:id:1", "other", 1).state == "done"

    def test_is_asked_once_more_before_the_answer_when_the_store_was_down_from_the_start(self, world: World, store: Store) -> None:
        store.around = lambda name, call: down(name, call) if len(store.steps) < 3 else call()
        Process(world, store).deliver(within=0.1)
        assert store.steps == ["claim", "complete", "complete"]

    def test_is_tried_again_for_store_timeout_when_the_store_gave_the_event(self, world: World, store: Store) -> None:
        store.around = lambda name, call: down(name, call) if 1 < len(store.steps) < 6 else call()
        process = Process(world, store)
        process.deliver(within=1)
        assert (store.steps[0], set(store.steps[1:]), process.codes) == ("claim", {"complete"}, [])

    def test_is_reported_if_another_process_has_stored_another_one_and_copies_here_keep_theirs(
        self, world: World, store: Store
    ) -> None:
        store.around = down
        one, two = Process(world, store, numbered([])), Process(world, store, lambda event: WebhookResponse(409))
        first = one.deliver(within=0.1)
        store.around = lambda name, call: call()
        assert two.deliver().status == 409
        world.advance(10)
        assert one.codes[-1] == "handled_twice"
        assert one.deliver().body == first.body

    def test_is_given_up_when_its_time_is_over_which_is_reported(self, world: World, store: Store) -> None:
        store.around = down
        process = Process(world, store, keep_time=600)
        process.deliver(within=0.1)
        world.advance(610)
        assert process.codes[-1] == "answer_not_stored"
        steps = len(store.steps)
        world.advance(600)
        assert len(store.steps) == steps

    def test_is_tried_ever_less_often_and_given_up_after_1000_times(self, world: World, store: Store) -> None:
        store.around = down
        process = Process(world, store)
        process.deliver(within=0.1)
        before = len(store.steps)
        world.advance(100)
        assert 15 < len(store.steps) - before < 30
        world.advance(7200)
        assert (len(store.steps) - before, process.codes[-1]) == (1000, "answer_not_stored")

    def test_that_another_process_is_about_to_give_is_waited_for(self, world: World, store: Store) -> None:
        one, two = Process(world, store, slow(0.5)), Process(world, store, lambda event: Slow(1, lambda: WebhookResponse(409)))
        first = one.begin()
        world.advance(0.1)
        store.memory = MemoryEventStore(clock=world.now)
        second = two.begin()
        world.advance(3)
        assert (first.result.status, second.result.status, one.codes) == (409, 409, ["handled_twice"])

    def test_counts_if_the_other_process_failed(self, world: World, store: Store) -> None:
        def fail() -> None:
            raise RuntimeError("It fails.")

        one, two = Process(world, store, slow(0.5)), Process(world, store, lambda event: Slow(1, fail))
        first = one.begin()
        world.advance(0.1)
        store.memory = MemoryEventStore(clock=world.now)
        two.begin()
        world.advance(3)
        assert (first.result.status, one.codes) == (200, [])

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
        process = Process(world, store, on_store_error="refuse", lease_time=60)
        assert process.deliver(within=1).status == 503
        world.advance(3)
        assert store.memory.claim("default:id:1", "other", 1).state == "mine"
        assert process.handled == 0

    def test_is_given_back_also_if_the_client_never_says_that_it_was_executed(self, world: World, store: Store) -> None:
        def lost(name: str, call: Callable[[], Any]) -> Any:
            if name == "claim":
                call()
            return Slow(1e9, call)

        store.around = lost
        process = Process(world, store, on_store_error="refuse", lease_time=60)
        assert process.deliver(within=1).status == 503
        assert store.memory.claim("default:id:1", "other", 1).state == "busy"
        store.around = lambda name, call: call()
        world.advance(10)
        assert store.memory.claim("default:id:1", "other", 1).state == "mine"


class TestBusyStore:
    def test_is_not_a_store_that_is_down(self, world: World, store: Store) -> None:
        store.steps_at_once = 2
        store.around = lambda name, call: Slow(0.4, call)
        process = Process(world, store)
        copies = [process.begin(str(number)) for number in range(8)]
        world.advance(60)
        assert {copy.result.status for copy in copies} == {204}
        assert (process.handled, process.codes) == (8, [])

    def test_stores_answers_first_so_that_no_lease_runs_out_meanwhile(self, world: World, store: Store) -> None:
        store.steps_at_once = 1
        store.around = lambda name, call: Slow(0.3, call)
        process = Process(world, store)
        for number in range(5):
            process.begin(str(number))
        world.advance(0.7)
        # The turn of the second claim came before there was an answer.
        assert store.steps == ["claim", "claim", "complete"]

    def test_takes_100_steps_at_once_if_it_does_not_say_how_many(self, world: World, store: Store) -> None:
        store.around = hang
        process = Process(world, store)
        for number in range(150):
            process.begin(str(number))
        world.advance(0)
        assert len(store.steps) == 100

    def test_is_reported_as_busy_when_a_step_waits_for_longer_than_wait_time(self, world: World, store: Store) -> None:
        store.steps_at_once = 1
        store.around = lambda name, call: Slow(0.45, call)
        process = Process(world, store, wait_time=1, on_store_error="refuse")
        copies = [process.begin(str(number)) for number in range(10)]
        world.advance(30)
        assert "store_busy" in process.codes
        assert {copy.result.status for copy in copies} == {204, 503}

    def test_is_found_to_be_down_by_one_step_for_all_that_wait(self, world: World, store: Store) -> None:
        store.steps_at_once = 1
        store.around = hang
        process = Process(world, store, on_store_error="refuse")
        copies = [process.begin(str(number)) for number in range(10)]
        world.advance(1)
        assert {copy.result.status for copy in copies} == {503}
        assert set(process.codes) == {"store_timeout"}

    def test_that_hangs_holds_only_so_many_late_steps(self, world: World, store: Store) -> None:
        store.around = hang
        store.steps_at_once = 2
        process = Process(world, store)
        for number in range(150):
            process.begin(str(number))
            world.advance(1)
        assert 100 <= len(store.steps) <= 103


class TestStoreThatFails:
    @pytest.mark.parametrize(
        "claim",
        [None, EventClaim("other", None), EventClaim("done", None), EventClaim("done", "{}")],  # type: ignore[arg-type]
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
        store.memory.claim("default:id:1", "other", 60)
        process = Process(world, store)
        copy = process.begin()
        world.advance(4)
        store.around = down
        world.advance(5)
        assert (copy.result.status, process.codes) == (503, ["busy"])
        assert str(process.errors[0].__cause__) == "The store is down."

    def test_is_reported_when_it_forgets_at_the_first_answer_and_at_ten_times_as_many(self, world: World, store: Store) -> None:
        process = Process(world, MemoryEventStore(max_events=1, clock=world.now))
        for number in range(30):
            process.deliver(str(number))
        assert process.codes == ["store_forgets"] * 2

    def test_is_a_problem_of_a_readiness_probe(self, world: World, store: Store) -> None:
        process = Process(world, store)

        def problems() -> list[str]:
            running = world.start(process.receiver.check_ready())
            world.advance(2)
            return [problem.code for problem in running.result]

        assert problems() == []
        assert store.steps == ["claim", "release"]
        store.around = hang
        assert problems() == ["store_timeout"]


class TestMemoryStore:
    def test_forgets_the_oldest_answers_when_all_together_are_longer_than_16_million_characters(self, world: World) -> None:
        store = MemoryEventStore(clock=world.now)
        for number in range(1000):
            store.complete(str(number), "owner", "x" * 24_000, 600)
        assert store.forgotten_early == 1000 - 16 * 1024 * 1024 // 24_000
        assert store.claim("0", "owner", 1).state == "mine"

    def test_has_a_limit_above_0(self) -> None:
        with pytest.raises(ValueError, match="max_events must be above 0"):
            MemoryEventStore(max_events=0)
