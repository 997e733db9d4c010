"""A process that answers over raw sockets with every fault of lab/simulate, and keeps a ledger of what it really carried out.

The one left out is a request that the network copies: no client can see or prevent it.

It prints its ports. A line on its input ends it: it prints the ledger once no connection is open and nothing is left to carry out.
A request names its fault in `x-fault`. Its repetitions draw theirs, by the seed and its ID.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import sys
from collections import Counter
from email.utils import formatdate
from random import Random
from time import time
from typing import Any

RUNS = {
    "before": "none clock_jump processed_then_reset processed_then_black_hole headers_then_stall mid_body_stall"
    " truncated_json early_eof cut_head reset_mid_answer dripping_body status_500_after_apply wrong_content_type latency_below_timeout"
    " latency_at_timeout latency_above_timeout closes_after_answer",
    "maybe": "status_408 html_502 effect_free_503 proxy_503 backend_restart",
    "after": "answered_then_applied",
    "never": "reset_mid_request black_hole status_429_with_meta status_429_without_meta status_429_hostile_meta cross_origin_redirect",
}
RUNS_BY_FAULT = {fault: when for when, faults in RUNS.items() for fault in faults.split()}
"""When a request with the fault is carried out: before its answer, after it, perhaps, or never."""

ELSEWHERE = ("refused", "dns", "reset_before_send")
"""What happens before a request can name its fault. The address decides."""

FAULTS = (*RUNS_BY_FAULT, *ELSEWHERE)

MADE = frozenset(fault for fault in RUNS_BY_FAULT if fault.startswith(("status_", "html_", "effect_", "proxy_", "cross_", "answered_")))


EFFECT_FREE = ("no_bots_available", "region_saturated", "service_unavailable")
HINTS: tuple[tuple[object, str | None], ...] = ((0, None), (0.05, None), (0.02, "0"), (3600, None), (None, "0.1"), (None, "61"))
HOSTILE: tuple[tuple[object, str | None], ...] = (
    *((-5, None), ("0.05", None), (None, "tomorrow"), ({"seconds": 1}, None), (1e308, None), (-1, "-3"), ([], "5s")),
    *((True, ","), ("soon", "99999999999999999999"), (None, "+0.1"), (None, "0.1, 0.2")),
)


def response(status: int, body: object, headers: dict[str, str] | None = None, *, chunked: bool = False) -> tuple[bytes, bytes]:
    """The head and the body of an answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"content-type": "application/json", **(headers or {})}
    named |= {"transfer-encoding": "chunked"} if chunked else {"content-length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    framed = b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content) if chunked else content
    return f"HTTP/1.1 {status} Status\r\n{head}\r\n".encode(), framed


def page(status: int, headers: dict[str, str] | None = None) -> bytes:
    return b"".join(response(status, b"<html><h1>%d</h1></html>" % status, {"content-type": "text/html", **(headers or {})}))


def problem(status: int, code: str, hint: tuple[object, str | None] = (None, None)) -> bytes:
    meta, header = hint
    body = {
        "code": code,
        "status": status,
        "title": "T",
        "detail": "D.",
        **({} if meta is None else {"meta": {"retryAfterSecs": meta}}),
    }
    return b"".join(response(status, body, {} if header is None else {"retry-after": header}))


def made_answer(fault: str, random: Random) -> bytes:
    """The answer of a proxy or of a failing platform, which says nothing of the request itself."""
    is_page = random.random() < 0.5
    match fault:
        case "status_408":
            return page(408) if is_page else b"".join(response(408, b""))
        case "status_429_with_meta":
            dates = {
                "date": formatdate(time(), usegmt=True),
                "retry-after": formatdate(time() + random.choice((0, 1, 90)), usegmt=True),
            }
            return page(429, dates) if random.random() < 0.2 else problem(429, "rate_limit_exceeded", random.choice(HINTS))
        case "status_429_without_meta":
            return page(429) if is_page else problem(429, "rate_limit_exceeded")
        case "status_429_hostile_meta":
            return problem(429, "rate_limit_exceeded", random.choice(HOSTILE))
        case "status_500_after_apply":
            # A gateway may send an effect-free code with its own status. That does not prove that nothing happened.
            return problem(500, "internal_error") if is_page else problem(random.choice((500, 502, 504)), random.choice(EFFECT_FREE))
        case "effect_free_503":
            return problem(503, random.choice(EFFECT_FREE), random.choice(HINTS))
        case "proxy_503":
            return page(503) if is_page else problem(503, random.choice(("maintenance_mode", "a_code_of_the_future")))
        case "cross_origin_redirect":
            return page(random.choice((301, 302, 303, 307, 308)), {"location": "http://127.0.0.1:1/collect"})
        case _:
            return page(random.choice((502, 504))) if is_page else b"".join(response(502, b""))


def success(key: str, kind: str, random: Random) -> tuple[int, object]:
    """The success of a placement or a rotation, which names the request that it answers."""
    if kind != "calls":
        fields = {"id": key, "type": "app", "name": "App", "createdAt": "", "updatedAt": "", "target": "https://app.example"}
        return 200, {**fields, "signingSecret": f"whsec_{key}"}
    return (201, {"type": "initiated", "callId": key}) if random.random() < 0.8 else (202, {"type": "queued", "position": 1, "id": key})


def reset(writer: asyncio.StreamWriter) -> None:
    """Closes a connection so that its other side sees a reset."""
    connection = writer.get_extra_info("socket")
    if connection is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class FireServer:
    """Serves on three ports: one that is always open, one that is opened and closed again and again, and one that resets connections."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.ledger: Counter[str] = Counter()
        self.arrived: Counter[str] = Counter()
        self.played: Counter[str] = Counter()
        self.tasks: set[asyncio.Task[None]] = set()
        self.restarting: set[asyncio.StreamWriter] = set()
        self.random = Random(seed)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, keeps: bool = True) -> None:
        task: Any = asyncio.current_task()
        self.tasks.add(task)
        try:
            while await self.serve_one(reader, writer) and keeps:
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            self.tasks.discard(task)

    async def accept_perhaps(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.random.random() < 0.8:
            return reset(writer)
        # Each request has to come on a connection of its own.
        return await self.accept(reader, writer, keeps=False)

    async def accept_until_restart(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.restarting.add(writer)
        try:
            await self.accept(reader, writer)
        finally:
            self.restarting.discard(writer)

    async def restart_again_and_again(self, holder: socket.socket) -> None:
        while True:
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(holder.getsockname())
            server = await asyncio.start_server(self.accept_until_restart, sock=listener, backlog=256)
            await asyncio.sleep(0.2)
            server.close()
            for writer in self.restarting:
                reset(writer)
            await asyncio.sleep(0.2)

    async def serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Plays one exchange. Returns whether the connection stays usable."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *rows = head.strip().split("\r\n")
        headers = {name.lower(): value for name, value in (row.split(": ", 1) for row in rows)}
        key = headers["x-id"]
        self.arrived[key] += 1
        random = Random(f"{self.seed} {key} {self.arrived[key]}")
        fault = headers["x-fault"]
        if self.arrived[key] > 1:
            fault = random.choice((random.choice(tuple(RUNS_BY_FAULT)), "none"))
        if fault not in RUNS_BY_FAULT:
            fault = "none"
        self.played[fault] += 1
        if fault == "reset_mid_request":
            reset(writer)
            return False
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        target = line.split(" ")[1].split("/")
        id = json.loads(body)["flowId"] if target[-1] == "calls" else target[-2]
        when = RUNS_BY_FAULT[fault]
        trusted = fault == "effect_free_503" and headers["x-trust"] == "1"
        if fault == "backend_restart":
            # What it has not begun when it ends is lost.
            runs_first = random.random() < 0.5
            self.ledger[id] += runs_first
            await asyncio.sleep(random.random() * 0.1)
            if writer.transport.is_closing():
                return False
            self.ledger[id] += not runs_first
        elif when == "before" or (when == "maybe" and random.random() < 0.5 and not trusted):
            self.ledger[id] += 1
        if fault in MADE:
            writer.write(made_answer(fault, random))
            if when == "after":
                self.tasks.add(asyncio.create_task(self.run_later(id)))
            return True
        return await self.answer(fault, random, success(id, target[-1], random), reader, writer)

    async def run_later(self, key: str) -> None:
        await asyncio.sleep(0.05)
        self.ledger[key] += 1

    async def answer(
        self, fault: str, random: Random, whole: tuple[int, object], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Sends the answer of a request that was carried out, as far as the fault lets it."""
        head, body = response(*whole, chunked=random.random() < 0.5)
        half = body[: len(body) // 2]
        match fault:
            case "processed_then_reset":
                reset(writer)
                return False
            case "black_hole" | "processed_then_black_hole":
                pass
            case "headers_then_stall":
                writer.write(head)
            case "mid_body_stall":
                writer.write(head + half)
            case "early_eof" | "cut_head":
                writer.write(head + half if fault == "early_eof" else head[: random.randrange(1, len(head))])
                return False
            case "reset_mid_answer":
                writer.write(head + half)
                await asyncio.sleep(0.005)
                reset(writer)
                return False
            case "dripping_body":
                writer.write(head)
                for byte in body:
                    await asyncio.sleep(0.02)
                    if writer.transport.is_closing():
                        return False
                    writer.write(bytes((byte,)))
                return True
            case "truncated_json" | "wrong_content_type":
                is_cut = fault == "truncated_json"
                content = b'{"type": "initiated", "callI' if is_cut else random.choice((b"<html>Welcome</html>", whole[1]))
                writer.write(b"".join(response(whole[0], content, {} if is_cut else {"content-type": "text/html"})))
                return True
            case _:
                waits = {"latency_below_timeout": 0.15, "latency_at_timeout": 0.3, "latency_above_timeout": 0.45}
                await asyncio.sleep(waits.get(fault, 0))
                writer.write(head + body)
                if fault == "closes_after_answer":
                    # Another request may just be on its way on this connection.
                    await asyncio.sleep(random.random() * 0.003)
                    if random.random() < 0.5:
                        reset(writer)
                    return False
                return True
        # The rest never comes.
        await reader.read()
        return False


async def main(seed: str) -> None:
    server = FireServer(seed)
    # Bound, so that no connection of another program gets the port, and never listened on.
    closed, restarting = socket.socket(), socket.socket()
    for holder in (closed, restarting):
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
    listening = [await asyncio.start_server(accept, "127.0.0.1", 0, backlog=256) for accept in (server.accept, server.accept_perhaps)]
    restarts = asyncio.create_task(server.restart_again_and_again(restarting))
    ports = [one.sockets[0].getsockname()[1] for one in listening]
    addresses = {"open": ports[0], "reset": ports[1], "closed": closed.getsockname()[1], "restarting": restarting.getsockname()[1]}
    print(json.dumps(addresses), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    restarts.cancel()
    for one in listening:
        one.close()
    await asyncio.sleep(0.02)
    while any(not task.done() for task in server.tasks):
        await asyncio.sleep(0.02)
    print(json.dumps({name: getattr(server, name) for name in ("ledger", "arrived", "played")}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
