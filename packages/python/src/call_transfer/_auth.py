"""The token of each attempt. Requests that find it expired share one renewal, also those of a client's copies."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitTimeout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ._errors import ConfigurationError
from ._generated.operations import DEFAULT_TIMEOUT
from ._interrupt import handler_error, renew_in_child
from ._redact import Secret

if TYPE_CHECKING:
    import asyncio


# Rejects anything that could end the header or hide in it (RFC 6750).
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


def check_token(value: Secret, option: str = "access_token") -> Secret:
    """Checks a credential before it goes into a header. The error never holds it."""
    if isinstance(value.reveal(), str) and _TOKEN.fullmatch(value.reveal()):
        return value
    problem = 'must be letters, digits and ._~+/- only. Check for quotes, spaces and "Bearer".'
    raise ConfigurationError(option, problem)


class AccessTokenFunction(Protocol):
    """Returns the access token for an attempt. `force_refresh` is True after the API reported the last one as expired."""

    def __call__(self, *, force_refresh: bool) -> str: ...


class AsyncAccessTokenFunction(Protocol):
    """The same for an async client. It may be an async function."""

    def __call__(self, *, force_refresh: bool) -> str | Awaitable[str]: ...


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, and the number of renewals before it."""

    token: Secret
    renewals: int


def _pause_after(rejections: int) -> float:
    """Seconds without a renewal after this many renewed tokens in a row were rejected. The first may have been bad luck."""
    return 0.0 if rejections < 2 else min(60.0, 0.5 * 2.0 ** (rejections - 1))


@dataclass(slots=True)
class _Latest:
    """The last renewal, and the token that it replaced until it was rejected itself."""

    replaced: Secret | None
    credential: Credential


class RenewalTimeout(Exception):
    """Another request's renewal did not end in time."""


class _Interrupted(Exception):
    """The thread of a renewal was interrupted, which says nothing to the threads that share it."""


def _retrieve(task: asyncio.Task[Credential]) -> None:
    """Keeps asyncio from logging an error that nothing waits for any more."""
    if not task.cancelled():
        task.exception()


class Auth:
    """Provides the token of each attempt."""

    def __init__(self, kind: Literal["api_key", "access_token"], source: Secret | Callable[..., Any]) -> None:
        self.kind = kind
        self._source = source
        self._renewals = 0
        self._latest: _Latest | None = None
        self._rejections = 0
        self._rejected_at = 0.0
        self._lock = threading.Lock()
        self._pending: Future[Credential] | None = None
        self._task: asyncio.Task[Credential] | None = None
        self._pending_since = 0.0
        renew_in_child(self)

    def after_fork(self) -> None:
        """Forgets a renewal of another thread, which the child does not have."""
        self._lock = threading.Lock()
        self._pending = self._task = None

    @property
    def can_renew(self) -> bool:
        """Whether the tokens come from a function."""
        return callable(self._source)

    @property
    def fixed(self) -> Credential | None:
        """The credential, unless it comes from a function."""
        return Credential(self._source, 0) if isinstance(self._source, Secret) else None

    def is_from(self, kind: str, source: object) -> bool:
        """Whether its tokens come from this source."""
        return self.kind == kind and (self._source is source or (isinstance(source, Secret) and self._source == source))

    def accept(self, used: Credential) -> None:
        """Records that a token was accepted. One at least as new as the last renewed one ends the pauses."""
        if self._rejections and used.renewals >= (self._latest.credential.renewals if self._latest else 0):
            self._rejections = 0

    def forget(self, rejected: Credential, now: float) -> None:
        """Records that a renewed token was rejected, so that later requests renew again."""
        with self._lock:
            latest = self._latest
            if latest is None or latest.replaced is None or latest.credential.token != rejected.token:
                return
            latest.replaced = None
            self._rejections += 1
            self._rejected_at = now

    def _newer(self, expired: Credential) -> Credential | None:
        """A token that was renewed meanwhile, even if it has expired by now: else a crowd would renew one after the other."""
        latest = self._latest
        if latest is None:
            return None
        is_newer = expired.renewals < latest.credential.renewals and expired.token != latest.credential.token
        return latest.credential if is_newer or latest.replaced == expired.token else None

    def _is_paused(self, now: float) -> bool:
        return abs(now - self._rejected_at) < _pause_after(self._rejections)

    def _is_abandoned(self, now: float) -> bool:
        """Whether a renewal takes longer than an attempt may, so that later requests start another one."""
        return abs(now - self._pending_since) >= DEFAULT_TIMEOUT

    def _renewed(self, expired: Credential, token: Secret) -> Credential:
        checked = check_token(token)
        with self._lock:
            self._renewals += 1
            credential = Credential(checked, self._renewals)
            self._latest = _Latest(expired.token, credential)
        return credential

    def credential(self) -> Credential:
        """Returns the token of a function."""
        # Counted before: a renewal that ends while the function runs is newer than its result.
        renewals = self._renewals
        return Credential(check_token(self._call(force_refresh=False)), renewals)

    async def credential_async(self) -> Credential:
        """Does the same for an async client."""
        renewals = self._renewals
        return Credential(check_token(await self._call_async(force_refresh=False)), renewals)

    def renew(self, expired: Credential, now: float, limit: float) -> Credential | None:
        """Returns a newer credential than the expired one. Concurrent requests share one renewal.

        Returns None while no renewal is due: after two renewed tokens in a row were rejected, there is one at most in 1 s, then
        2 s, and so on up to 60 s.
        """
        with self._lock:
            pending, is_own = self._pending, False
            if pending is None or self._is_abandoned(now):
                newer = self._newer(expired)
                if newer is not None or self._is_paused(now):
                    return newer
                pending, is_own = Future[Credential](), True
                self._pending, self._pending_since = pending, now
        if is_own:
            return self._renew_for_all(expired, pending)
        try:
            return pending.result(limit)
        except _Interrupted:
            return self.renew(expired, now, limit)
        except WaitTimeout:
            if pending.done():
                raise
            raise RenewalTimeout from None

    def _renew_for_all(self, expired: Credential, pending: Future[Credential]) -> Credential:
        try:
            renewed = self._renewed(expired, self._call(force_refresh=True))
        except BaseException as error:
            # Later requests do not share a failed renewal.
            self._end(pending)
            pending.set_exception(error if isinstance(error, Exception) and handler_error(error) is None else _Interrupted())
            raise
        self._end(pending)
        pending.set_result(renewed)
        return renewed

    def _end(self, pending: Future[Credential]) -> None:
        with self._lock:
            if self._pending is pending:
                self._pending = None

    async def renew_async(self, expired: Credential, now: float, limit: float) -> Credential | None:
        """Does the same for an async client. A cancelled request does not cancel the renewal that others wait for."""
        # Loaded by then, and not by an import of the package.
        import asyncio

        task = self._task
        if task is None or task.done() or self._is_abandoned(now):
            newer = self._newer(expired)
            if newer is not None or self._is_paused(now):
                return newer
            if task is not None:
                task.cancel()
            task = self._task = asyncio.ensure_future(self._renew_task(expired))
            task.add_done_callback(_retrieve)
            self._pending_since = now
        done, _ = await asyncio.wait({task}, timeout=limit)
        if not done:
            raise RenewalTimeout
        if task.cancelled():
            # The request was not cancelled itself, and a `CancelledError` would say that.
            raise RuntimeError("the renewal was cancelled")
        return task.result()

    async def _renew_task(self, expired: Credential) -> Credential:
        return self._renewed(expired, await self._call_async(force_refresh=True))

    async def aclose(self) -> None:
        """Ends a renewal that nothing waits for any more."""
        import asyncio

        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    def _call(self, *, force_refresh: bool) -> Secret:
        assert callable(self._source)  # noqa: S101
        return Secret(self._source(force_refresh=force_refresh))

    async def _call_async(self, *, force_refresh: bool) -> Secret:
        given = self._call(force_refresh=force_refresh)
        return Secret(await given.reveal()) if inspect.isawaitable(given.reveal()) else given
