"""What a client sends through: its proxy, its pool of connections, and the options of both."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import httpcore2
import httpx2

from ._errors import ConfigurationError
from ._interrupt import renew_in_child
from ._options import check
from ._redact import Secret
from ._transport import IDLE_SECONDS, AsyncBackend, Backend


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _proxy_for(base_url: str, proxy: Secret | None) -> tuple[str, Secret | None]:
    """The proxy of the option, or that of the environment for the host of the API, with its name."""
    if proxy is not None:
        return "proxy", proxy if proxy.reveal() != "" else None
    url = urlsplit(base_url)
    host = (url.hostname or "").rstrip(".")
    port = url.port or (443 if url.scheme == "https" else 80)
    # The standard library does not know `*.example.com`.
    names = getproxies_environment().get("no", "").lower().replace(" ", "").split(",")
    is_excepted = any(one.startswith("*.") and f".{host}:{port}".endswith((one[1:], f"{one[1:]}:{port}")) for one in names)
    # No proxy reaches this machine's own addresses.
    if _is_loopback(host) or is_excepted or proxy_bypass(f"{host}:{port}"):
        return "proxy", None
    for kind in (url.scheme, "all"):
        found = Secret(getproxies().get(kind))
        if found.reveal():
            name = next((one for one in (f"{kind}_proxy", f"{kind}_PROXY".upper()) if os.environ.get(one)), "proxy")
            return name, found if "://" in found.reveal() else Secret(f"http://{found.reveal()}")
    return "proxy", None


def _is_usable(proxy: httpx2.Proxy | None) -> bool:
    if proxy is None or proxy.url.scheme not in ("http", "https"):
        return False
    is_place = re.fullmatch(r"[^\s%]+", proxy.url.host) and (proxy.url.port or 0) <= 65535 and proxy.url.raw_path in (b"", b"/")
    return bool(is_place)


def _parse_proxy(name: str, address: Secret) -> httpx2.Proxy:
    parsed = None
    # Its errors quote the address, which may hold a password, and so does what they would be the context of.
    with suppress(ValueError, httpx2.InvalidURL, TypeError):
        parsed = httpx2.Proxy(address.reveal())
    if not _is_usable(parsed):
        hint = "" if name == "proxy" else ', or pass proxy="" to use none'
        problem = "must be a URL with http:// or https://, such as http://proxy.example.com:3128"
        raise ConfigurationError(name, f"{problem}. For SOCKS, pass a client of httpx2 as http_client{hint}.")
    return cast("httpx2.Proxy", parsed)


def check_connection(proxy: Secret | None, verify: object, max_connections: object, http_client: object) -> None:
    """Checks the options of the connection."""
    is_text = proxy is None or isinstance(proxy.reveal(), str)
    check(is_text, "proxy", 'must be a URL such as http://proxy.example.com:3128, or "" for none')
    is_context = isinstance(verify, (bool, ssl.SSLContext))
    check(is_context, "verify", "must be True, False or an ssl.SSLContext, such as ssl.create_default_context(cafile=path)")
    is_count = isinstance(max_connections, int) and not isinstance(max_connections, bool) and max_connections >= 1
    check(is_count, "max_connections", "must be an integer from 1")
    if http_client is not None:
        for name, is_given in (
            ("proxy", proxy is not None),
            ("verify", verify is not True),
            ("max_connections", max_connections != 100),
        ):
            check(not is_given, name, "has no effect beside http_client. Set it there.")


class _Body(httpx2.SyncByteStream):
    def __init__(self, inner: Iterable[bytes]) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def close(self) -> None:
        cast("Any", self._inner).close()


class _AsyncBody(httpx2.AsyncByteStream):
    def __init__(self, inner: AsyncIterable[bytes]) -> None:
        self._inner = inner

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._inner.__aiter__()

    async def aclose(self) -> None:
        await cast("Any", self._inner).aclose()


def _core_request(request: httpx2.Request) -> httpcore2.Request:
    url = request.url
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return httpcore2.Request(request.method, target, headers=request.headers.raw, content=request.stream, extensions=request.extensions)


def _response(answer: httpcore2.Response, body: _Body | _AsyncBody) -> httpx2.Response:
    extensions: dict[str, Any] = cast("Any", answer).extensions
    response = httpx2.Response(answer.status, headers=answer.headers, stream=body, extensions=extensions)
    hint = re.search(r"\btimeout\s*=\s*\"?([0-9]{1,9})", response.headers.get("keep-alive", ""), re.IGNORECASE)
    if hint is not None and int(hint[1]) <= IDLE_SECONDS:
        # The server may be closing it when the next request is sent.
        extensions["network_stream"].is_for_one_request = True
    return response


class Transport(httpx2.BaseTransport):
    """What a sync client sends through."""

    def __init__(self, open_pool: Callable[[], httpcore2.ConnectionPool]) -> None:
        self._open_pool = open_pool
        self._pool = open_pool()
        renew_in_child(self)

    def after_fork(self) -> None:
        """Closes the child's ends of the connections. Those of the parent stay open."""
        connections = self._pool.connections
        self._pool = self._open_pool()
        for connection in connections:
            connection.close()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._pool.handle_request(_core_request(request))
        return _response(answer, _Body(cast("Iterable[bytes]", answer.stream)))

    def close(self) -> None:
        self._pool.close()


class AsyncTransport(httpx2.AsyncBaseTransport):
    """What an async client sends through."""

    def __init__(self, open_pool: Callable[[], httpcore2.AsyncConnectionPool]) -> None:
        self._open_pool = open_pool
        self._pool = open_pool()
        renew_in_child(self)

    def after_fork(self) -> None:
        """Forgets the connections. Closing them would change what the parent's event loop waits for."""
        self._pool = self._open_pool()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._pool.handle_async_request(_core_request(request))
        return _response(answer, _AsyncBody(cast("AsyncIterable[bytes]", answer.stream)))

    async def aclose(self) -> None:
        await self._pool.aclose()


def _pool_options(base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int) -> dict[str, Any]:
    """The options of a pool."""
    options: dict[str, Any] = {
        "max_connections": max_connections,
        "max_keepalive_connections": min(20, max_connections),
        "keepalive_expiry": IDLE_SECONDS,
    }
    # A copy of the client may have another base URL.
    if base_url.startswith("https:") or verify is not True:
        options["ssl_context"] = httpx2.create_ssl_context(verify=verify)
    name, address = _proxy_for(base_url, proxy)
    if address is not None:
        parsed = _parse_proxy(name, address)
        url, context = parsed.url, httpx2.create_ssl_context() if parsed.url.scheme == "https" else None
        target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        options["proxy"] = httpcore2.Proxy(target, auth=parsed.raw_auth, ssl_context=context)
    return options


def open_client(base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.Client:
    """Creates what a sync client sends with."""
    options = _pool_options(base_url, proxy, verify, max_connections)
    transport = Transport(lambda: httpcore2.ConnectionPool(network_backend=Backend(), **options))
    return httpx2.Client(transport=transport, trust_env=False)


def open_async_client(base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.AsyncClient:
    """Creates what an async client sends with."""
    options = _pool_options(base_url, proxy, verify, max_connections)
    transport = AsyncTransport(lambda: httpcore2.AsyncConnectionPool(network_backend=AsyncBackend(), **options))
    return httpx2.AsyncClient(transport=transport, trust_env=False)
