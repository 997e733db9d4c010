"""Lists with pages, as iteration."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from ._errors import InvalidArgumentError, RequestError
from ._operation import Operation
from ._options import RequestOptions
from ._reconcile import ListReader, page_of
from ._results import OtherList, check_page, parse

PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")


class Sender(Protocol):
    """Sends requests: a client. With an async one, what it returns is to be awaited."""

    def perform(self, operation: Operation, **parts: Any) -> Any: ...
    def fetch(self, operation: Operation, **parts: Any) -> Any: ...


class _List(Generic[PageT, ItemT]):
    """What both kinds of lists know."""

    def __init__(
        self,
        client: Sender,
        operation: Operation,
        items: str,
        query: Mapping[str, object],
        *,
        options: RequestOptions | None,
        other: OtherList | None = None,
    ) -> None:
        self._client = client
        self._operation = operation
        self._items = items
        self._query = query
        self._options = options
        self._other = other

    def _request(self, offset: int | None) -> Any:
        query = self._query if offset is None else {**self._query, "offset": offset}
        own = {} if self._other is None else {"path": self._other.path_params, "route": self._other.path}
        return self._client.fetch(self._operation, query=query, options=self._options, **own)

    @contextmanager
    def _at(self, offset: int | None) -> Iterator[None]:
        """Says in an error which page it is about, so that a reader can go on there."""
        try:
            yield
        except RequestError as error:
            if offset:
                error.args = (f"{error} (the page at offset={offset})",)
            raise

    def _reader(self) -> ListReader:
        start = self._query.get("offset")
        return ListReader(self._operation.operation_id, start if isinstance(start, int) else 0)

    def _page(self, data: Any) -> Any:
        if self._other is not None:
            check_page(self._operation.operation_id, self._items, data)
            return data
        return parse(next(iter(self._operation.models.values())), data)

    def _accept(self, reader: ListReader, data: Any, page: Any) -> list[ItemT]:
        items, total = page_of(data, self._items)
        places = reader.accept(items, total)
        if self._other is not None:
            return self._other.read(self._operation.operation_id, self._items, items, places)
        models: list[ItemT] = getattr(page, self._items, None) or []
        return [models[place] for place in places if place < len(models)]


def _check_max(max_items: object) -> None:
    if not isinstance(max_items, int) or isinstance(max_items, bool) or max_items < 0:
        raise InvalidArgumentError("max_items", "must be an integer from 0, as in to_list(max_items=1000)")


class Pages(_List[PageT, ItemT]):
    """A list. `for` iterates over the items of all pages, and requests each page when it is needed.

    The list may change while it is read. Iteration and `to_list` return each ID once, and go back when `meta.total` shrinks. As
    long as new items only appear at the front, no item that stays in the list is missed. Items added after the first page may be
    missing; if items also appear further down, so may others. To be sure, read the list again.
    """

    def first_page(self) -> PageT:
        """Requests the first page, and returns it."""
        page: PageT = self._page(self._request(None).data)
        return page

    def pages(self) -> Iterator[PageT]:
        """Iterates over the pages as they arrive. If the list changes, an item may be on several pages.

        Raises:
            InvalidResponseError: Pages bring nothing new before `meta.total` is reached, or the list keeps growing.

        """
        for page, _ in self._read():
            yield page

    def __iter__(self) -> Iterator[ItemT]:
        for _, fresh in self._read():
            yield from fresh

    def to_list(self, *, max_items: int) -> list[ItemT]:
        """Collects the items of all pages, each ID once, up to `max_items`.

        Raises:
            InvalidArgumentError: `max_items` is out of range.
            InvalidResponseError: Pages bring nothing new before `meta.total` is reached, or the list keeps growing.

        """
        _check_max(max_items)
        collected: list[ItemT] = []
        for _, fresh in self._read():
            collected += fresh
            if len(collected) >= max_items:
                break
        return collected[:max_items]

    def _read(self) -> Iterator[tuple[PageT, list[ItemT]]]:
        reader = self._reader()
        offset: int | None = None
        while True:
            with self._at(offset):
                data = self._request(offset).data
            page: PageT = self._page(data)
            yield page, self._accept(reader, data, page)
            if (offset := reader.next_offset()) is None:
                return


class AsyncPages(_List[PageT, ItemT]):
    """A list. `async for` iterates over the items of all pages, and requests each page when it is needed.

    See `Pages` for what happens when the list changes while it is read.
    """

    async def first_page(self) -> PageT:
        """Requests the first page, and returns it."""
        page: PageT = self._page((await self._request(None)).data)
        return page

    async def pages(self) -> AsyncIterator[PageT]:
        """Iterates over the pages as they arrive. See `Pages.pages()`."""
        async for page, _ in self._read():
            yield page

    async def __aiter__(self) -> AsyncIterator[ItemT]:
        async for _, fresh in self._read():
            for item in fresh:
                yield item

    async def to_list(self, *, max_items: int) -> list[ItemT]:
        """Collects the items of all pages, each ID once, up to `max_items`. See `Pages.to_list()`."""
        _check_max(max_items)
        collected: list[ItemT] = []
        async for _, fresh in self._read():
            collected += fresh
            if len(collected) >= max_items:
                break
        return collected[:max_items]

    async def _read(self) -> AsyncIterator[tuple[PageT, list[ItemT]]]:
        reader = self._reader()
        offset: int | None = None
        while True:
            with self._at(offset):
                data = (await self._request(offset)).data
            page: PageT = self._page(data)
            yield page, self._accept(reader, data, page)
            if (offset := reader.next_offset()) is None:
                return
