"""The clients."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, Unpack, cast

from ._client import AsyncChanges, AsyncCore, Changes, Core
from ._errors import ConfigurationError
from ._generated.resources import AsyncResources, Resources
from ._options import hide_secrets


def _merged(client: Core | AsyncCore, changes: Changes | AsyncChanges) -> dict[str, Any]:
    hide_secrets(cast("dict[str, Any]", changes))
    for name in changes:
        if name not in Changes.__optional_keys__:
            raise ConfigurationError(name, "cannot be changed. Create a new client.")
    given = {**client._given, **changes, "http_client": client._http_client, "_parent": client}
    if changes.get("api_key") is not None or changes.get("access_token") is not None:
        given.update(api_key=changes.get("api_key"), access_token=changes.get("access_token"))
    old, new = client._given["retry"], changes.get("retry")
    if old and isinstance(new, dict):
        given["retry"] = {**old, **new}
    return given


class CallTransfer(Resources):
    """Client of the call-transfer API, for threads. It is safe to share.

    In docstrings, §4.2 is section 4.2 of the platform's specification, and §8.3 is rule 3 of its section 8.

    Example:
        client = CallTransfer()  # reads CALL_TRANSFER_API_KEY and CALL_TRANSFER_BASE_URL
        call = client.calls.create(flow_id=flow_id, from_number="+14155550100", to_number="+14155550123")

    """

    def with_options(self, **changes: Unpack[Changes]) -> CallTransfer:
        """Returns a copy of this client with other options, e.g. for another account.

        It shares the connections and the retry budget of each account. A new `api_key` replaces an `access_token`, and the reverse.
        Fields of `retry` that are not given stay as they are.

        Args:
            changes: Any option of `CallTransfer`, but those of the connection.

        Raises:
            ConfigurationError: An option is invalid.

        """
        return CallTransfer(**_merged(self, changes))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


class AsyncCallTransfer(AsyncResources):
    """Client of the call-transfer API, for asyncio. It belongs to one event loop.

    Example:
        async with AsyncCallTransfer() as client:
            call = await client.calls.create(flow_id=flow_id, from_number="+14155550100", to_number="+14155550123")

    """

    def with_options(self, **changes: Unpack[AsyncChanges]) -> AsyncCallTransfer:
        """Returns a copy of this client with other options. See `CallTransfer.with_options()`."""
        return AsyncCallTransfer(**_merged(self, changes))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.aclose()
