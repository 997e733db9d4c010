"""A server on this machine that gives webhooks to an application."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable, MutableMapping
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any, TypeAlias, cast
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from .._options import is_async

WsgiApp: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
AsgiApp: TypeAlias = Callable[
    [Any, Callable[[], Awaitable[Any]], Callable[[MutableMapping[str, Any]], Awaitable[None]]],
    Awaitable[None],
]
WebhookTarget: TypeAlias = str | WsgiApp | AsgiApp


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Chunked(io.RawIOBase):
    """The body of a request that comes in chunks, which wsgiref does not decode."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream
        self._left: int | None = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._left == 0:
            # Another chunk, or the end.
            self._left = int(self._stream.readline().partition(b";")[0], 16) or None
        if self._left is None:
            return 0
        part = self._stream.read(min(self._left, len(buffer)))
        buffer[: len(part)] = part
        self._left -= len(part)
        if self._left == 0:
            self._stream.readline()
        return len(part)

    def close(self) -> None:
        super().close()
        self._stream.close()


class _Handler(WSGIRequestHandler):
    def parse_request(self) -> bool:
        is_valid = super().parse_request()
        if is_valid and self._is_chunked():
            self.rfile = io.BufferedReader(_Chunked(self.rfile))
        return is_valid

    def _is_chunked(self) -> bool:
        return self.headers.get("transfer-encoding", "").lower() == "chunked"

    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), "wsgi.input_terminated": self._is_chunked()}

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Prints nothing."""


@contextmanager
def serve(app: WsgiApp | AsgiApp) -> Generator[str]:
    """Serves an application on a free port, and gives its URL."""
    loop: asyncio.AbstractEventLoop | None = None
    if is_async(app):
        loop = asyncio.new_event_loop()
        wsgi = _in_loop(cast("AsgiApp", app), loop)
    else:
        wsgi = cast("WsgiApp", app)
    server = make_server("127.0.0.1", 0, wsgi, _Server, _Handler)
    tasks = [server.serve_forever] if loop is None else [server.serve_forever, loop.run_forever]
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/offers"
    finally:
        server.shutdown()
        server.server_close()
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
        for thread in threads:
            thread.join()
        if loop is not None:
            loop.close()


def _in_loop(app: AsgiApp, loop: asyncio.AbstractEventLoop) -> WsgiApp:
    """Calls an ASGI application as a WSGI one."""

    def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        body = environ["wsgi.input"].read(None if environ["wsgi.input_terminated"] else int(environ.get("CONTENT_LENGTH") or 0))
        status, headers, answer = asyncio.run_coroutine_threadsafe(_call(app, environ, body), loop).result()
        start_response(f"{status} Answer", headers)
        return [answer]

    return wsgi


async def _call(app: AsgiApp, environ: dict[str, Any], body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
    headers = [(name[5:].replace("_", "-").lower(), str(value)) for name, value in environ.items() if name.startswith("HTTP_")]
    headers.append(("content-type", environ.get("CONTENT_TYPE", "")))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": environ["REQUEST_METHOD"],
        "scheme": "http",
        "path": environ["PATH_INFO"],
        "raw_path": environ["PATH_INFO"].encode(),
        "query_string": environ.get("QUERY_STRING", "").encode(),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "client": (environ["REMOTE_ADDR"], 0),
        "server": ("127.0.0.1", int(environ["SERVER_PORT"])),
    }
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = next(one for one in sent if one["type"] == "http.response.start")
    answer = b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
    return start["status"], [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start.get("headers", ())], answer
