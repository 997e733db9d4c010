"""Finding results of a request whose outcome is unknown (§8.3), and reading a list by offset while it changes. Without I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ._call import Call, Search, Sent, Steps
from ._core import send
from ._errors import (
    CallTransferError,
    InvalidResponseError,
    OutcomeWindow,
    Reconciliation,
    ReconciliationReason,
    RequestErrorDetails,
)
from ._json import is_list, is_object, parse_object
from ._operation import Explanation, ListSince
from ._outcome import is_other_start, iso
from ._results import parse
from ._retry import time_of

if TYPE_CHECKING:
    from ._model import ApiModel

Prepare = Callable[[Mapping[str, object]], Call]
"""Makes the request of a page."""

_E164 = re.compile(r"\+[0-9]+")


def _is_other_number(one: object, other: object) -> bool:
    """Whether two values are different phone numbers. Any other form than E.164 proves nothing."""
    return one != other and all(isinstance(value, str) and _E164.fullmatch(value) for value in (one, other))


def candidates_among(items: Iterable[ApiModel], body: bytes | None) -> list[ApiModel]:
    """Returns the items that may be the result: calls that are not inbound, and not to another number than the body names."""
    wanted = (parse_object(None if body is None else body.decode()) or {}).get("toNumber")

    def field_of(item: ApiModel, name: str, wire: str) -> object:
        return getattr(item, name, None) or (item.model_extra or {}).get(wire)

    return [
        item
        for item in items
        if field_of(item, "direction", "direction") != "inbound"
        and not _is_other_number(field_of(item, "to_number", "toNumber"), wanted)
    ]


@dataclass(slots=True)
class Reading:
    """What was read of a list."""

    items: dict[object, ApiModel] = field(default_factory=dict[object, "ApiModel"])
    totals: set[object] = field(default_factory=set[object])
    """Every `meta.total` that its pages had."""
    has_moved: bool = False
    """Whether an item was on several pages."""
    failure: tuple[ReconciliationReason, str] | None = None
    """Why the reading ended early."""


def why_incomplete(reading: Reading, window: OutcomeWindow) -> tuple[ReconciliationReason, str] | None:
    """Returns why a reading does not show every item of the window; None if it does."""
    if reading.failure is not None:
        return reading.failure
    if reading.has_moved or reading.totals != {len(reading.items)}:
        return "list_changed", f"The list since {window.start} changed while it was read. Read it again."
    if window.by_server_clock:
        return None
    unknown = f"The list was read since {window.start}. No response had a Date header, so this machine's clock was used."
    return "server_time_unknown", unknown


def explain_count(count: int, window: OutcomeWindow) -> tuple[ReconciliationReason, str]:
    """Returns what a complete reading means."""
    if count > 0:
        found = f"{count} listed since {window.start}. Any of them may be the result: items have no matching key."
        return "candidates_found", found
    nothing = "This does not prove that no call was created: the list may lag or omit queued calls."
    return "none_found", f"Nothing is listed since {window.start}. {nothing}"


def find_in_list(prepare: Prepare, finder: ListSince, search: Search) -> Steps[Reconciliation[Any]]:
    """Reads the pages of a list whose items may be the result of the request, from the start of its window on."""
    call, start = search.call, search.window.start
    ended = call.settings.moment()
    # The first answer may show that the server's clock is another one.
    reading = yield from _read_list(prepare, finder, start, search.max_items, lambda: call.window(ended))
    if reading is None:
        start = call.window(ended).start
        reading = yield from _read_list(prepare, finder, start, search.max_items)
        assert reading is not None  # noqa: S101
    now = call.window(ended)
    seen = OutcomeWindow(start, now.end, by_server_clock=now.by_server_clock)
    candidates = candidates_among(reading.items.values(), search.body)
    problem = why_incomplete(reading, seen)
    reason, explanation = problem or explain_count(len(candidates), seen)
    return Reconciliation(candidates, problem is None, reason, explanation, seen)


def _read_list(
    prepare: Prepare, finder: ListSince, start: str, max_items: int, current: Callable[[], OutcomeWindow] | None = None
) -> Steps[Reading | None]:
    """Reads a list up to its end or a number of items. Returns None as soon as it turns out to begin elsewhere."""
    reading = Reading()
    reader = ListReader(finder.operation.operation_id, 0)
    offset: int | None = 0
    read = 0
    try:
        while offset is not None:
            query = {finder.since: start, "limit": finder.limit, **({"offset": offset} if offset else {})}
            sent: Sent = yield from send(prepare(query))
            if current is not None and is_other_start(start, current()):
                return None
            items, total = page_of(sent.data, finder.items)
            reading.totals.add(total if type(total) in (int, float) else None)
            models = next(iter(finder.operation.models.values()))
            page: list[ApiModel] = getattr(parse(models, sent.data), finder.items, None) or []
            if not all(map(is_object, items)):
                reading.failure = ("list_incomplete", f"The list since {start} has items that are not objects.")
                break
            for item in page if items else ():
                given: object = getattr(item, "id", None)
                # An item without an ID may be the result, too.
                identity = given if isinstance(given, (str, int)) else object()
                reading.has_moved = reading.has_moved or identity in reading.items
                reading.items[identity] = item
                read += 1
            if read >= max_items and len(reading.items) != total:
                problem = f"Only the first {read} calls since {start} were read: see max_items."
                reading.failure = ("limit_reached", problem)
                break
            reader.accept(items, total)
            offset = reader.next_offset()
    except CallTransferError as error:
        reading.failure = ("list_incomplete", f"The list could not be read to its end: {error}")
    return reading


def explain(finder: Explanation, window: OutcomeWindow) -> Reconciliation[Any]:
    """Explains why there is nothing to find."""
    until = f"{finder.overlap_hours} hours after the request"
    start = time_of(window.start)
    if window.by_server_clock and start is not None:
        until = iso(start + timedelta(hours=finder.overlap_hours).total_seconds())
    return Reconciliation((), False, "not_supported", finder.text.replace("{until}", until), window)


def page_of(data: Any, name: str) -> tuple[list[Any], Any]:
    """Returns the items of a page, and the size of the whole list."""
    fields = data if is_object(data) else {}
    items, meta = fields.get(name), fields.get("meta")
    return (items if is_list(items) else []), meta.get("total") if is_object(meta) else None


_MAX_STALE, _IDLE_WEIGHT = 400, 100
"""Limit of pages in a row without new items. A page that should have brought some counts as several."""

_MAX_GROWTH_FACTOR, _MAX_ADDED = 10, 10_000
"""Limits of growth while a list is read: tenfold plus this many items, more than any real list."""

_MAX_WITHOUT_TOTAL = 100_000
"""Limit of items in a list without a total."""


def _id_of(item: Any) -> Any:
    value = item.get("id") if is_object(item) else None
    return value if isinstance(value, (str, int, float)) else None


class ListReader:
    """Decides which page of a list comes next, so that each ID is returned once although the list changes."""

    def __init__(self, operation_id: str, start: int) -> None:
        self._operation_id = operation_id
        self._start = start
        self._ids: set[object] = set()
        # First item of each page. If it comes again, the server ignored the offset.
        self._firsts: set[object] = set()
        self._total: float | None = None
        # Offset of a page that came twice. Until enough items came, the list is then read again.
        self._doubt: int | None = None
        self._max_growth: float = _MAX_WITHOUT_TOTAL
        # Everything before `reached` was read. After the list shrinks, pages overlap by as much.
        self._offset = self._reached = start
        self._overlap = self._growth = self._given = self._stale = self._length = 0
        self._found_nothing = False

    def _note_total(self, current: Any, least: int) -> None:
        """Takes in `meta.total`, unless its own page contradicts it."""
        if not isinstance(current, (int, float)) or isinstance(current, bool) or not abs(current) <= 2**53:
            return
        if current != int(current) or current < least:
            return
        current = int(current)
        if self._total is None:
            self._max_growth = _MAX_GROWTH_FACTOR * current + _MAX_ADDED
        change = current - int(current if self._total is None else self._total)
        self._growth += max(0, change)
        # Items removed further up moved the rest forward by at most this.
        self._reached = max(0, self._reached + min(0, change))
        self._overlap = max(self._overlap, -change)
        self._total = current

    def _is_new(self, item: Any) -> bool:
        identity = _id_of(item)
        if identity is None:
            return True
        known = identity in self._ids
        self._ids.add(identity)
        return not known

    def accept(self, items: list[Any], new_total: Any) -> list[int]:
        """Takes in the page at the current offset, and returns the positions of its new items."""
        self._length = len(items)
        end = self._offset + self._length
        self._note_total(new_total, end if self._length else 0)
        leaves_gap = self._offset > self._reached
        fresh = [] if leaves_gap else [place for place, item in enumerate(items) if self._is_new(item)]
        first: Any = json.dumps(items) if self._total is None else _id_of(items[0]) if items else None
        self._given += len(fresh)
        if self._total is None:
            self._growth += self._length
        # Items added in front move others onto the next page: as many may be repeated.
        is_short = self._given + self._growth < end - self._start
        is_repeated = first in self._firsts and (self._total is None or (not fresh and is_short))
        weight = _IDLE_WEIGHT if (is_repeated or self._length == 0) and not leaves_gap else 1
        self._stale = 0 if fresh else self._stale + weight
        if is_repeated and self._doubt is None:
            self._doubt = self._offset
        if not leaves_gap:
            self._reached = max(self._reached, end)
            self._firsts.add(first)
        self._found_nothing = is_repeated or not fresh
        return [] if is_repeated else fresh

    def next_offset(self) -> int | None:
        """Moves to the next page and returns its offset, or None at the end of the list."""
        # Without a total, a page without new items is the last one.
        is_at_end = self._found_nothing if self._total is None else self._reached >= self._total
        came = self._given + self._growth >= self._reached - self._start
        is_whole = self._total is None or self._doubt is None or came
        if is_at_end and is_whole:
            return None
        why = "it keeps growing" if self._growth > self._max_growth else ""
        if not why and self._stale >= _MAX_STALE:
            why = "pages bring nothing new"
        if why:
            raise self._unreadable(why, self._reached if self._doubt is None else self._doubt)
        # A page came twice, and its items are still missing: start again.
        if is_at_end:
            self._reached, self._doubt = self._start, None
        self._offset = max(0, self._reached - max(0, min(self._overlap, self._length - 1)))
        return self._offset

    def _unreadable(self, why: str, at: int) -> InvalidResponseError:
        total = "unknown" if self._total is None else int(self._total)
        message = (
            f"{self._operation_id} could not be read to its end: {why} at offset {at}, after {self._given} items of {total}. "
            f"Read it again, or continue with offset={at}"
        )
        return InvalidResponseError(message, RequestErrorDetails(self._operation_id, "applied"))
