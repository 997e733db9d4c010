"""Lists as iteration: what is asked for, when, and what comes of it. Over real sockets, with both clients."""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterator
from typing import Any

import pytest
from conftest import Run, in_turn
from servers import Answer, Server, hang_up, problem, respond

from call_transfer import InvalidArgumentError, NotFoundError, RequestError


def page(*numbers: int, total: int | None = None) -> Answer:
    calls = [{"id": f"c-{number}", "direction": "outbound"} for number in numbers]
    return respond(200, {"calls": calls, "meta": {"total": total}} if total is not None else {"calls": calls})


def taken(items: Any, most: int | None = None) -> Any:
    """Takes items of either kind of iteration, up to a number, as a caller's loop does."""
    found: list[Any] = []
    if not hasattr(items, "__aiter__"):
        for item in items:
            found.append(item)
            if len(found) == most:
                break
        return found

    async def take() -> list[Any]:
        iterator: AsyncIterator[Any] = items.__aiter__()
        async for item in iterator:
            found.append(item)
            if len(found) == most:
                break
        await iterator.aclose()  # type: ignore[attr-defined]
        return found

    return take()


def ids(items: Any) -> list[str]:
    return [item.id for item in items]


def targets(server: Server) -> list[str]:
    return [request.target.removeprefix("/api/v1/calls") for request in server.requests]


def test_a_loop_asks_for_each_page_when_it_is_needed(run: Run) -> None:
    with Server(page(1, 2, total=5), page(3, 4, total=5), page(5, total=5)) as server:
        assert ids(run(server.url, lambda client: taken(client.calls.list(limit=2)))) == ["c-1", "c-2", "c-3", "c-4", "c-5"]
        assert targets(server) == ["?limit=2", "?limit=2&offset=2", "?limit=2&offset=4"]


def test_a_loop_that_ends_early_asks_for_no_more(run: Run) -> None:
    with Server(page(1, 2, total=5), page(3, 4, total=5)) as server:
        assert ids(run(server.url, lambda client: taken(client.calls.list(limit=2), 3))) == ["c-1", "c-2", "c-3"]
        assert len(server.requests) == 2


def test_a_list_begins_at_its_offset_and_each_loop_reads_it_again(run: Run) -> None:
    with Server(page(2, total=3), page(2, 1, total=4)) as server:
        lists: list[Any] = []

        def read(client: Any) -> Any:
            if not lists:
                lists.append(client.calls.list(offset=2))
            return taken(lists[0])

        assert [ids(items) for items in run(server.url, in_turn(read, read))] == [["c-2"], ["c-2", "c-1"]]
        assert targets(server) == ["?offset=2", "?offset=2"]


def test_an_item_that_moves_to_the_next_page_is_returned_once(run: Run) -> None:
    answers = page(3, 2, total=3), page(2, 1, total=4)
    with Server(*answers) as server:
        assert ids(run(server.url, lambda client: taken(client.calls.list()))) == ["c-3", "c-2", "c-1"]
    with Server(*answers) as server:
        pages = run(server.url, lambda client: taken(client.calls.list().pages()))
    assert [ids(one.calls) for one in pages] == [["c-3", "c-2"], ["c-2", "c-1"]]


def test_to_list_takes_no_more_than_it_may(run: Run) -> None:
    with Server(page(1, 2, total=5), page(3, 4, total=5)) as server:
        assert ids(run(server.url, lambda client: client.calls.list().to_list(max_items=3))) == ["c-1", "c-2", "c-3"]
        assert len(server.requests) == 2
        for wrong in (-1, 1.5, True, None):
            with pytest.raises(InvalidArgumentError, match="max_items must be an integer"):
                run(server.url, lambda client, most=wrong: client.calls.list().to_list(max_items=most))
        assert len(server.requests) == 2


def test_what_came_before_an_error_was_returned(run: Run) -> None:
    found: list[str] = []

    def collect(client: Any) -> Any:
        calls = client.calls.list()
        if not hasattr(calls, "__aiter__"):
            found.extend(call.id for call in calls)
            return None

        async def collect_async() -> None:
            async for call in calls:
                found.append(call.id)  # noqa: PERF401

        return collect_async()

    with Server(page(1, 2, total=3), problem(404, "resource_not_found")) as server, pytest.raises(NotFoundError):
        run(server.url, collect)
    assert found == ["c-1", "c-2"]


def use_iteration(items: Any) -> Any:
    return taken(items)


@pytest.mark.parametrize(
    "use",
    [use_iteration, lambda items: items.to_list(max_items=9), lambda items: taken(items.pages())],
    ids=["loop", "to_list", "pages"],
)
@pytest.mark.parametrize(
    "answer", [problem(403, "forbidden"), hang_up, respond(200, raw=b"<html>")], ids=["refused", "lost", "unusable"]
)
@pytest.mark.parametrize("start", [None, 40])
def test_an_error_of_a_later_page_names_its_offset(run: Run, use: Any, answer: Answer, start: int | None) -> None:
    with Server(page(1, 2, total=50), answer) as server, pytest.raises(RequestError) as caught:
        options = {"limit": 2} if start is None else {"limit": 2, "offset": start}
        run(server.url, lambda client: use(client.calls.list(**options)), max_retries=0)
    assert str(caught.value).endswith(f"(the page at offset={(start or 0) + 2})")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_error_of_a_later_page_of_another_list_names_its_offset(run: Run) -> None:
    first = respond(200, {"contacts": [{"id": "1"}], "meta": {"total": 5}})
    with Server(first, problem(404, "not_found")) as server, pytest.raises(NotFoundError, match=r"\(the page at offset=1\)$"):
        run(server.url, lambda client: client.list("/api/v1/contacts", items_field="contacts").to_list(max_items=9))
