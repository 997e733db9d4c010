"""Places calls and rotates secrets with the client under every fault of `fire_server.py`, and judges what the client said of each.

`python fire.py --requests 10000 --mode sync --seed 1` prints counts, and fails where an outcome is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from fire_server import EFFECT_FREE, ELSEWHERE, FAULTS

from call_transfer import AsyncCallTransfer, CallTransfer, OutcomeUnknownError, RequestError
from call_transfer._options import SystemClock

KEY = "svc_live_0123456789abcdef"
CONCURRENCY = 48
UNKNOWN_HOST = "unknown-host.test"
PORTS = {"refused": "closed", "reset_before_send": "reset", "backend_restart": "restarting"}


OUTCOMES = ("success", "not_sent", "rejected", "applied", "unknown")


@dataclass
class Request:
    """A placement or a rotation, and what the client said of it."""

    id: str
    fault: str
    """The fault of its first attempt."""
    trusts: bool
    is_placement: bool
    outcome: str = ""
    error: Exception | None = None
    result: str = ""
    """The ID in the answer."""


@dataclass
class Judgement:
    """What was wrong, and the counts by fault."""

    twice: list[str] = field(default_factory=list[str])
    misreported: list[str] = field(default_factory=list[str])
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {fault: Counter[str]() for fault in sorted(FAULTS)})


def refused_for_sure(request: Request, attempt: Any) -> bool:
    """Whether what an attempt got leaves no doubt that it had no effect."""
    if attempt.error is not None:
        return request.fault in ("refused", "dns")
    trusted = request.trusts and attempt.status == 503 and attempt.code in EFFECT_FREE
    return trusted or (300 <= attempt.status < 500 and attempt.status != 408)


def problem_of(request: Request, runs: int, arrived: int) -> str | None:
    """What is wrong with what the client said, given how often the request was carried out and arrived."""
    said, error = request.outcome, request.error
    if said not in OUTCOMES:
        return f"raised {error!r}"
    if said == "success":
        return None if runs == 1 and request.result == request.id else f"success with {request.result!r}"
    assert isinstance(error, RequestError)
    attempts = error.attempts
    answered = [attempt.status for attempt in attempts if attempt.status is not None]
    is_success = len(attempts) == 1 and any(200 <= status < 300 for status in answered)
    problems = {
        "may have been carried out": said in ("not_sent", "rejected") and runs != 0,
        "was not carried out": said == "applied" and runs != 1,
        "no success answered": said == "applied" and not any(200 <= status < 300 for status in answered),
        "was answered": said == "not_sent" and bool(answered),
        "was not answered": said == "rejected" and not answered,
        "was refused without doubt": said == "unknown" and all(refused_for_sure(request, attempt) for attempt in attempts),
        "was answered by the API with a success": said == "unknown" and is_success and request.fault != "wrong_content_type",
        "is of the wrong class": (said in ("applied", "unknown")) is not isinstance(error, OutcomeUnknownError),
        f"has {len(attempts)} attempts and arrived {arrived} times": arrived > len(attempts),
    }
    return next((f"{said}, but it {problem}" for problem, found in problems.items() if found), None)


class JumpingClock(SystemClock):
    """A clock that is set anew all the time."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def now(self) -> float:
        return time.time() + self._random.choice((-86_400, -61, 0, 45, 7_200))


def requests_of(count: int, seed: str, faults: Sequence[str]) -> list[Request]:
    """As many of each fault, in an order by chance."""
    random = Random(seed)
    chosen = [Request(f"id-{at}", faults[at % len(faults)], random.random() < 0.4, random.random() < 0.5) for at in range(count)]
    random.shuffle(chosen)
    return chosen


class Clients:
    """A client for each address and each setting that a fault needs."""

    def __init__(self, kind: type[Any], ports: dict[str, int], retry: dict[str, Any]) -> None:
        self._kind, self._ports, self._retry = kind, ports, retry
        self.open: dict[tuple[str, bool, bool], Any] = {}
        self._lock = threading.Lock()

    def client_of(self, request: Request) -> Any:
        place, jumps = PORTS.get(request.fault, "open"), request.fault == "clock_jump"
        url = f"http://{UNKNOWN_HOST}" if request.fault == "dns" else f"http://127.0.0.1:{self._ports[place]}"
        key = (url, request.trusts, jumps)
        with self._lock:
            if key in self.open:
                return self.open[key]
            max_retries = self._retry.get("max_retries", 2)
            given = {name: value for name, value in self._retry.items() if name != "max_retries"}
            retry = {"budget": False, "max_retry_after": 1, "trust_503_codes": request.trusts, **given}
            options = {"timeout": 0.3, "max_retries": max_retries, "retry": retry, "max_connections": CONCURRENCY}
            options |= {"allow_insecure_http": True, "proxy": ""}
            client = self.open[key] = self._kind(base_url=url, api_key=KEY, **options)
            if jumps:
                client._settings.clock = JumpingClock(Random(1))
            return client

    def send(self, request: Request) -> Any:
        client = self.client_of(request)
        headers = {"x-id": request.id, "x-fault": request.fault, "x-trust": str(int(request.trusts))}
        if request.is_placement:
            call = {"flow_id": request.id, "from_number": "+15550100001", "to_number": "+15550200001"}
            return client.calls.create(**call, options={"headers": headers})
        return client.destinations.rotate_secret(request.id, options={"headers": headers})


def note(request: Request, result: Any, error: Exception | None) -> None:
    """Keeps what the client said."""
    request.error = error
    if error is None:
        request.outcome = "success"
        extra = result.model_extra or {}
        request.result = getattr(result, "call_id", None) or getattr(result, "id", None) or extra.get("id", "")
    else:
        request.outcome = error.outcome if isinstance(error, RequestError) else type(error).__name__


def send_sync(requests: Sequence[Request], ports: dict[str, int], retry: dict[str, Any]) -> None:
    clients = Clients(CallTransfer, ports, retry)

    def send(request: Request) -> None:
        try:
            note(request, clients.send(request), None)
        except Exception as error:
            note(request, None, error)

    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(send, requests))
    for client in clients.open.values():
        client.close()


async def send_async(requests: Sequence[Request], ports: dict[str, int], retry: dict[str, Any]) -> None:
    clients = Clients(AsyncCallTransfer, ports, retry)
    waiting = iter(requests)

    async def work() -> None:
        for request in waiting:
            try:
                note(request, await clients.send(request), None)
            except Exception as error:
                note(request, None, error)

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))
    for client in clients.open.values():
        await client.aclose()


@contextmanager
def without_a_name() -> Generator[None]:
    """One host has no address, whatever the network of this machine answers."""
    real = socket.getaddrinfo

    def resolve(host: Any, *rest: Any, **named: Any) -> Any:
        if host in (UNKNOWN_HOST, UNKNOWN_HOST.encode()):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **named)

    with patch("socket.getaddrinfo", resolve):
        yield


def fight(mode: str, count: int, seed: str, *, faults: Sequence[str] = FAULTS, retry: dict[str, Any] | None = None) -> Judgement:
    """Sends the requests, and judges what was said of each."""
    requests = requests_of(count, seed, faults)
    command = [sys.executable, str(Path(__file__).with_name("fire_server.py")), seed]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server, without_a_name():
        assert server.stdout is not None
        ports = json.loads(server.stdout.readline())
        try:
            if mode == "sync":
                send_sync(requests, ports, retry or {})
            else:
                asyncio.run(send_async(requests, ports, retry or {}))
            kept = json.loads(server.communicate("end\n")[0])
        except BaseException:
            server.kill()
            raise
    judgement = Judgement()
    for request in requests:
        runs, arrived = kept["ledger"].get(request.id, 0), kept["arrived"].get(request.id, 0)
        problem = problem_of(request, runs, arrived)
        about = f"{request.id} ({request.fault}, carried out {runs} times): "
        if runs > 1:
            judgement.twice.append(about + request.outcome)
        if problem:
            judgement.misreported.append(about + problem)
        # The server does not see what happens before a request.
        met = len(getattr(request.error, "attempts", ())) if request.fault in ELSEWHERE else 0
        judgement.counts[request.fault].update(
            {"requests": 1, "carried out": runs, request.outcome: 1, "twice": runs > 1, "misreported": problem is not None, "met": met}
        )
    for fault, met in kept["played"].items():
        judgement.counts[fault]["met"] = met
    return judgement


def main() -> None:
    logging.getLogger("call_transfer").setLevel(logging.CRITICAL)
    parser = argparse.ArgumentParser(description="Every fault of lab/simulate over real sockets.")
    parser.add_argument("--requests", type=int, default=10_000, help="placements and rotations in each mode")
    parser.add_argument("--mode", choices=("sync", "async"), action="append", help="both by default")
    parser.add_argument("--seed", default="1")
    given = parser.parse_args()
    failed = False
    for mode in given.mode or ("sync", "async"):
        judgement = fight(mode, given.requests, given.seed)
        print(f"{mode}, seed {given.seed}:", dict(sum(judgement.counts.values(), Counter[str]())), flush=True)
        for problem in (*judgement.twice, *judgement.misreported)[:20]:
            print(problem)
        unmet = [fault for fault, counts in judgement.counts.items() if counts["met"] == 0]
        if unmet:
            print("never met:", ", ".join(unmet))
        failed = failed or bool(judgement.twice or judgement.misreported or unmet)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
