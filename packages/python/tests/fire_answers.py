"""What `fire_server.py` answers."""

from __future__ import annotations

import json
from email.utils import formatdate
from random import Random
from time import time

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
