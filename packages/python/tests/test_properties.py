"""What holds for every input: retry hints, and paging of a list that changes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from call_transfer import InvalidResponseError
from call_transfer._reconcile import ListReader
from call_transfer._retry import delay_for, retry_hint

NOW = 1_772_452_800.0
HINT_LIKE = some.text("0123456789:,. -+TZeEGMTonMar", max_size=40)
TEXT = some.text(max_size=40) | HINT_LIKE
JSON = some.recursive(some.none() | some.booleans() | some.integers() | some.floats() | TEXT, some.lists, max_leaves=3)


@given(meta=JSON | some.fixed_dictionaries({"retryAfterSecs": JSON}), retry_after=some.none() | TEXT, date=some.none() | TEXT)
def test_no_answer_breaks_the_hint(meta: Any, retry_after: str | None, date: str | None) -> None:
    hint = retry_hint(meta, retry_after, date, NOW)
    assert hint is None or hint >= 0
    assert 0 < delay_for(0, hint or 0.0, lambda: 0.0) < math.inf


@pytest.mark.parametrize("digits", [1, 16, 308, 310, 4000])
def test_a_number_of_any_length_is_a_hint(digits: int) -> None:
    number = "9" * digits
    assert retry_hint(json.loads(f'{{"retryAfterSecs": {number}}}'), None, None, NOW) == float(number)


def http_date(time: datetime) -> str:
    return format_datetime(time, usegmt=True)


def elsewhere(time: datetime) -> str:
    return time.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()


SPELLINGS: dict[str, Callable[[int], str]] = {
    "number": str,
    "padded": lambda seconds: f" 0{seconds} ",
    "decimals": lambda seconds: f"{seconds}.0",
    "http date": lambda seconds: http_date(datetime.fromtimestamp(NOW + seconds, UTC)),
    "iso date": lambda seconds: datetime.fromtimestamp(NOW + seconds, UTC).isoformat().replace("+00:00", "Z"),
    "another zone": lambda seconds: elsewhere(datetime.fromtimestamp(NOW + seconds, UTC)),
}


@given(
    seconds=some.integers(0, 10**6),
    spelling=some.sampled_from(sorted(SPELLINGS)),
    other=some.integers(0, 10**6),
    offset=some.integers(-(10**6), 10**6),
    random=some.floats(0, 1, exclude_max=True),
)
def test_no_spelling_shortens_a_hint(seconds: int, spelling: str, other: int, offset: int, random: float) -> None:
    date = http_date(datetime.fromtimestamp(NOW, UTC))
    text = SPELLINGS[spelling](seconds)
    # The answer's own date counts, whatever this machine's clock says.
    assert retry_hint(None, text, date, NOW + offset) == seconds
    assert retry_hint({"retryAfterSecs": other}, f"{text}, junk", date, NOW + offset) == max(seconds, other)
    assert delay_for(0, float(seconds), lambda: random) > seconds


class ChangingList:
    """A list whose new items appear at the front and whose items are removed anywhere, between pages."""

    def __init__(self, size: int) -> None:
        self.ids = [f"c-{number}" for number in range(size)]
        self.at_first = set(self.ids)
        self.made = size

    def change(self, added: int, removed: list[int]) -> None:
        for _ in range(added):
            self.ids.insert(0, f"c-{self.made}")
            self.made += 1
        for place in removed:
            if self.ids:
                del self.ids[place % len(self.ids)]


CHANGES = some.lists(some.tuples(some.integers(0, 4), some.lists(some.integers(0, 40), max_size=4)), max_size=12)


@given(size=some.integers(0, 30), limit=some.integers(1, 7), changes=CHANGES)
def test_what_stays_in_a_changing_list_is_returned_once(size: int, limit: int, changes: list[tuple[int, list[int]]]) -> None:
    source, reader = ChangingList(size), ListReader("listCalls", 0)
    given_out: list[str] = []
    offset: int | None = 0
    for turn in range(1000):
        if offset is None:
            break
        page = source.ids[offset : offset + limit]
        given_out += [page[place] for place in reader.accept([{"id": one} for one in page], len(source.ids))]
        offset = reader.next_offset()
        if turn < len(changes):
            source.change(*changes[turn])
    assert offset is None
    assert len(given_out) == len(set(given_out))
    assert source.at_first & set(source.ids) <= set(given_out)


ITEMS = some.lists(JSON | some.fixed_dictionaries({"id": JSON}), max_size=5)
TOTAL = some.integers(-5, 200) | some.sampled_from([None, True, "7", [7], 1.5, 10**400, -(10**400), math.inf, math.nan])
PAGES = some.lists(some.tuples(ITEMS, TOTAL), min_size=1, max_size=4)


@given(pages=PAGES, start=some.integers(0, 10))
def test_no_page_breaks_the_reading_and_each_reading_ends(pages: list[tuple[list[Any], Any]], start: int) -> None:
    reader = ListReader("listCalls", start)
    offset: int | None = start
    for turn in range(2000):
        items, total = pages[min(turn, len(pages) - 1)]
        reader.accept(items, total)
        try:
            offset = reader.next_offset()
        except InvalidResponseError:
            return
        if offset is None:
            return
        assert offset >= 0
    pytest.fail(f"the list is still read at {offset}")
