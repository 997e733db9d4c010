"""A server of raw bytes: each request is answered as a script says."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self


class Request:
    """A request as it arrived."""

    def __init__(self, head: str, body: bytes) -> None:
        self.line, *rows = head.split("\r\n")
        self.method, self.target, _ = self.line.split(" ")
        self.headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rows if row)}
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[socket.socket, Request, threading.Event], None]


def respond(status: int = 200, body: object = None, headers: Mapping[str, str] | None = None, *, raw: bytes | None = None) -> Answer:
    """Answers with a complete response."""
    content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
    named = {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())

    def answer(connection: socket.socket, _request: Request, _stop: threading.Event) -> None:
        connection.sendall(f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode() + content)

    return answer


def problem(status: int, code: str, headers: Mapping[str, str] | None = None, **fields: object) -> Answer:
    """Answers with an error of the API."""
    body = {"code": code, "status": status, "title": "Title", "detail": "Detail.", "requestId": "req-1", **fields}
    return respond(status, body, headers)


def hang_up(connection: socket.socket, _request: Request, _stop: threading.Event) -> None:
    """Closes the connection instead of an answer."""
    connection.shutdown(socket.SHUT_RDWR)


def silence(_connection: socket.socket, _request: Request, stop: threading.Event) -> None:
    """Never answers."""
    stop.wait()


def part(content: bytes) -> Answer:
    """Sends some bytes, and closes the connection."""

    def answer(connection: socket.socket, request: Request, stop: threading.Event) -> None:
        connection.sendall(content)
        hang_up(connection, request, stop)

    return answer


class Drip:
    """Sends the start at once, and then byte after byte, more often than any read times out."""

    def __init__(self, start: bytes, every: float = 0.02) -> None:
        self.start, self.every = start, every
        self.was_left = threading.Event()

    def __call__(self, connection: socket.socket, _request: Request, stop: threading.Event) -> None:
        try:
            connection.sendall(self.start)
            while not stop.wait(self.every):
                connection.sendall(b" ")
        except OSError:
            self.was_left.set()


class Server:
    """Answers the requests of all connections in the order of a script. The last answer is given again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers: Sequence[Answer] = answers or (respond(),)
        self.requests: list[Request] = []
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            for request in self._read(connection):
                with self._lock:
                    self.requests.append(request)
                    answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
                answer(connection, request, self._stop)

    @staticmethod
    def _read(connection: socket.socket) -> Iterator[Request]:
        waiting = b""
        while True:
            while b"\r\n\r\n" not in waiting:
                chunk = connection.recv(65536)
                if not chunk:
                    return
                waiting += chunk
            head, _, waiting = waiting.partition(b"\r\n\r\n")
            length = next((int(row[15:]) for row in head.lower().split(b"\r\n") if row.startswith(b"content-length:")), 0)
            while len(waiting) < length:
                chunk = connection.recv(65536)
                if not chunk:
                    return
                waiting += chunk
            yield Request(head.decode("latin-1"), waiting[:length])
            waiting = waiting[length:]

    def close(self) -> None:
        """Takes no further connections."""
        # Wakes accept(), which closing alone does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self.close()
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(300)


_holders: list[socket.socket] = []
"""Bound, and never listening."""


def unused_port() -> int:
    """Returns a port on which nothing listens, and nobody else may."""
    holder = socket.socket()
    _holders.append(holder)
    holder.bind(("127.0.0.1", 0))
    return int(holder.getsockname()[1])
