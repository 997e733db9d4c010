"""The mock server of a test run."""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

import httpx2

DEFAULT_COMMAND = "npx --yes @call-transfer/mock-server"
_OPTIONS = ("--port", "0", "--json", "--clock", "frozen", "--max-sandboxes", "1000000")
_SECONDS_TO_STOP = 10


class MockServerError(Exception):
    """The mock server could not be started, or rejected a request. The message says what to do."""


class MockServer:
    """A running mock server."""

    url: str
    """Its address, such as `http://127.0.0.1:4010`."""

    def __init__(self, url: str, *, process: subprocess.Popen[str] | None = None, pid: int | None = None) -> None:
        """Use `start()` or `connect()`."""
        self.url = url.rstrip("/")
        self._process = process
        self._pid = pid
        token = os.environ.get("CALL_TRANSFER_CONTROL_TOKEN", "").strip()
        headers = {"authorization": f"Bearer {token}"} if token else {}
        # A frozen server answers some requests only after a webhook handler did.
        self._http = httpx2.Client(headers=headers, timeout=120, trust_env=False)
        atexit.register(self.stop)

    @classmethod
    def start(cls, command: str | Sequence[str] = DEFAULT_COMMAND) -> MockServer:
        """Starts a mock server on a free port, whose clock stands still.

        Args:
            command: The command without its options. The first one downloads the server if the working folder does not have it.

        Raises:
            MockServerError: The program is missing, or it ended.

        """
        words = shlex.split(command) if isinstance(command, str) else list(command)
        program = shutil.which(words[0]) if words else None
        if program is None:
            missing = words[0] if words else "The command of the mock server"
            raise MockServerError(
                f"{missing} was not found. Install Node 20 or newer, or set CALL_TRANSFER_MOCK_URL to the address of a mock server."
            )
        with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
            process = subprocess.Popen(  # noqa: S603
                [program, *words[1:], *_OPTIONS],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                # Ctrl-C is for the tests, which then end the server.
                start_new_session=True,
            )
            ready = _read_ready(process)
            if ready is None:
                status = process.wait()
                errors.seek(0)
                text = errors.read().strip()[-2000:]
                raise MockServerError(f"The mock server ended with status {status}: {' '.join([*words, *_OPTIONS])}\n{text}")
        return cls(ready["url"], process=process, pid=ready["pid"])

    @classmethod
    def connect(cls, url: str) -> MockServer:
        """Uses a mock server that is running. `stop()` leaves it alone.

        Raises:
            MockServerError: No mock server answers there.

        """
        server = cls(url)
        try:
            server.control("GET", "/health")
        except httpx2.HTTPError as error:
            server._http.close()
            raise MockServerError(
                f"No mock server answers at {server.url}: {error}. Start it: npx @call-transfer/mock-server"
            ) from None
        return server

    def control(self, method: str, path: str, body: object = None, *, sandbox: str | None = None) -> Any:
        """Sends a request to the control plane, such as `PATCH` to `/policies`, and returns the JSON of its answer.

        Raises:
            MockServerError: It was rejected.

        """
        prefix = "" if sandbox is None else f"/_sandbox/{sandbox}"
        response = self._http.request(method, f"{self.url}{prefix}/_control/v1{path}", json=body)
        if response.is_error:
            raise MockServerError(f"{method} {path} was rejected with {response.status_code}: {_detail(response)}")
        return response.json() if response.content else None

    def stop(self) -> None:
        """Ends the server that `start()` started, by its process ID."""
        atexit.unregister(self.stop)
        self._http.close()
        process, self._process = self._process, None
        if process is None:
            return
        # npx does not always pass a signal on, so the server itself gets it.
        for pid in {self._pid, process.pid}:
            _end(pid)
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _read_ready(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    """The line that the server prints when it is ready. None if it ended before."""
    assert process.stdout is not None  # noqa: S101
    for line in process.stdout:
        if line.startswith("{"):
            ready: dict[str, Any] = json.loads(line)
            return ready
    process.stdout.close()
    return None


def _end(pid: int | None) -> None:
    try:
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        # It has ended already.
        return


def _detail(response: httpx2.Response) -> str:
    """What the control plane says is wrong. Another server in between may answer with anything."""
    try:
        detail = response.json()["error"]["message"]
    except (ValueError, LookupError, TypeError):
        detail = None
    return str(detail or response.text[:500])


def find_server(command: str | Sequence[str] = DEFAULT_COMMAND) -> MockServer:
    """Returns the server of CALL_TRANSFER_MOCK_URL, or starts one."""
    url = os.environ.get("CALL_TRANSFER_MOCK_URL", "").strip()
    return MockServer.connect(url) if url else MockServer.start(command)


_shared: MockServer | None = None


def shared_server() -> MockServer:
    """Returns the server of this process: that of CALL_TRANSFER_MOCK_URL, or one that is started and ends with the process."""
    global _shared
    if _shared is None:
        _shared = find_server()
    return _shared
