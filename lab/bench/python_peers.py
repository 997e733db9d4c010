"""Sets the Python client beside other SDKs: the same server of raw bytes, the same faults, one run. Prints figures as JSON.

The arguments are the folder in which openapi-python-client has written its client, and how often processor times are measured.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

sys.path[:0] = [sys.argv[1]]

import anthropic  # noqa: E402
import httpx2  # noqa: E402
import openai  # noqa: E402
import stripe  # noqa: E402
from call_transfer_client import AuthenticatedClient  # noqa: E402
from call_transfer_client.api.accounts import list_accounts  # noqa: E402
from call_transfer_client.api.calls import create_call  # noqa: E402
from call_transfer_client.models import CreateCallRequest  # noqa: E402
from servers import Answer, Drip, Server, hang_up, respond  # noqa: E402

from call_transfer import CallTransfer  # noqa: E402

KEY = "svc_live_0123456789abcdef"
TIMEOUT = 0.5
PATIENCE = 10.0
"""Seconds after which a client that drips is given up."""

Use = Callable[[str, float], Any]


def ours_post(url: str, timeout: float) -> Any:
    with CallTransfer(base_url=url, api_key=KEY, timeout=timeout) as client:
        return client.calls.create(flow_id="f", from_number="+15550100001", to_number="+15550200001")


def openai_post(url: str, timeout: float) -> Any:
    client = openai.OpenAI(base_url=url, api_key=KEY, timeout=timeout)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])


def anthropic_post(url: str, timeout: float) -> Any:
    client = anthropic.Anthropic(base_url=url, api_key=KEY, timeout=timeout)
    return client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])


def stripe_post(url: str, timeout: float) -> Any:
    http = stripe.RequestsClient(timeout=timeout) if stripe_requests else stripe.HTTPXClient(timeout=timeout, allow_sync_methods=True)
    client = stripe.StripeClient("sk_test_0123456789", base_addresses={"api": url}, http_client=http)
    return client.v1.customers.create({"name": "x"})


def generated_post(url: str, timeout: float) -> Any:
    client = AuthenticatedClient(base_url=url, token=KEY, timeout=generated_timeout(timeout))
    call = CreateCallRequest(flow_id="f", from_number="+15550100001", to_number="+15550200001")
    with client:
        return create_call.sync_detailed(client=client, body=call)


def generated_timeout(seconds: float) -> Any:
    from call_transfer_client.client import httpx

    return httpx.Timeout(seconds)


try:
    import requests  # noqa: F401

    stripe_requests = True
except ImportError:
    stripe_requests = False

POSTS: dict[str, Use] = {
    "call-transfer": ours_post,
    "openai": openai_post,
    "anthropic": anthropic_post,
    "stripe": stripe_post,
    "openapi-python-client": generated_post,
}
MODULES = {
    "call-transfer": "from call_transfer import CallTransfer",
    "openai": "from openai import OpenAI",
    "anthropic": "from anthropic import Anthropic",
    "stripe": "from stripe import StripeClient",
    "openapi-python-client": "from call_transfer_client import AuthenticatedClient",
}
READY = {
    "call-transfer": f"{MODULES['call-transfer']}; CallTransfer(base_url='http://localhost:1', api_key='{KEY}')",
    "openai": f"{MODULES['openai']}; OpenAI(base_url='http://localhost:1', api_key='{KEY}').chat.completions",
    "anthropic": f"{MODULES['anthropic']}; Anthropic(base_url='http://localhost:1', api_key='{KEY}').messages",
    "stripe": f"{MODULES['stripe']}; StripeClient('sk_test_0123456789').v1.customers",
    "openapi-python-client": f"{MODULES['openapi-python-client']}; from call_transfer_client.api.calls import create_call; "
    f"AuthenticatedClient(base_url='http://localhost:1', token='{KEY}').get_httpx_client()",
}


def sent(answer: Answer, use: Use) -> int:
    with Server(answer) as server:

        def send() -> None:
            with contextlib.suppress(Exception):
                use(server.url, 5.0)

        # A thread that waits for minutes is left behind.
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        return len(server.requests)


def drip_time(use: Use) -> float | None:
    """Seconds until the call ends, in a process of its own, which can be given up."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n"
    with Server(Drip(head, every=0.05)) as server:
        (name,) = (name for name, one in POSTS.items() if one is use)
        # A first request, so that what is loaded late does not count.
        program = f"""
import contextlib, sys, time
sys.argv = ["", {sys.argv[1]!r}]
import python_peers
use = python_peers.POSTS[{name!r}]
with python_peers.Server(python_peers.respond(400)) as server, contextlib.suppress(Exception):
    use(server.url, 5.0)
print("ready", flush=True)
began = time.perf_counter()
with contextlib.suppress(Exception):
    use({server.url!r}, {TIMEOUT})
print(time.perf_counter() - began)
"""
        command = [sys.executable, "-c", program]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            try:
                took, _ = child.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
                return None
            return float(took)


def processor_time(program: str) -> float:
    """The least processor time of a program in a new process, in milliseconds, without that of an empty one."""
    measured = "import time; t = time.process_time(); {}; print((time.process_time() - t) * 1000)"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = [{sys.argv[1]!r}]\n{measured.format(program)}"]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(int(sys.argv[2])))


ACCOUNTS = {"accounts": [{"id": "a-1", "name": "Example"}]}


def get_cost() -> dict[str, float]:
    """Processor time of a GET relative to a bare one with httpx2, over a kept connection. The middle of several rounds."""
    with Server(respond(200, ACCOUNTS)) as server, CallTransfer(base_url=server.url, api_key=KEY) as ours:
        bare = httpx2.Client(headers={"authorization": f"Bearer {KEY}"})
        generated = AuthenticatedClient(base_url=server.url, token=KEY)

        def get_bare() -> Any:
            return bare.get(f"{server.url}/api/v1/accounts").raise_for_status().json()

        uses: dict[str, Callable[[], Any]] = {
            "bare httpx2": get_bare,
            "call-transfer": ours.accounts.list,
            "openapi-python-client": lambda: list_accounts.sync_detailed(client=generated),
            "openai": lambda client=openai.OpenAI(base_url=server.url, api_key=KEY): client.get("/accounts", cast_to=dict[str, Any]),
            "anthropic": lambda client=anthropic.Anthropic(base_url=server.url, api_key=KEY): client.get(
                "/accounts", cast_to=dict[str, Any]
            ),
        }
        costs: dict[str, list[float]] = {name: [] for name in uses}
        for _ in range(15):
            for name, use in uses.items():
                began = time.thread_time()
                for _ in range(60):
                    use()
                costs[name].append(time.thread_time() - began)
        bare.close()
        base = statistics.median(costs["bare httpx2"])
        return {name: statistics.median(times) / base for name, times in costs.items()}


def installed_size(name: str) -> float:
    """Megabytes of a distribution and of all that it requires."""
    seen: set[str] = set()

    def add(one: str) -> int:
        key = re.sub(r"[-_.]+", "-", one).lower()
        if key in seen:
            return 0
        seen.add(key)
        try:
            found = importlib.metadata.distribution(key)
        except importlib.metadata.PackageNotFoundError:
            return 0
        size = sum(path.locate().stat().st_size for path in found.files or () if path.locate().is_file() and path.suffix != ".pyc")  # type: ignore[attr-defined]
        needs = [need for need in found.requires or () if "extra ==" not in need]
        return size + sum(add(re.split(r"[^A-Za-z0-9_.-]", need)[0]) for need in needs)

    return add(name) / 1e6


def main() -> None:
    from pathlib import Path

    import call_transfer

    own = sum(path.stat().st_size for path in Path(call_transfer.__file__).parent.rglob("*.py")) / 1e6
    generated = sum(path.stat().st_size for path in Path(sys.argv[1]).rglob("*.py")) / 1e6
    needs = {"call-transfer": ("httpx2", "pydantic"), "openapi-python-client": ("httpx", "attrs", "python-dateutil")}
    sizes = {
        "call-transfer": own + sum(map(installed_size, needs["call-transfer"])),
        "openapi-python-client": generated + sum(map(installed_size, needs["openapi-python-client"])),
    }
    names = tuple(POSTS)
    costs = get_cost()
    figures = {
        "lost": {name: sent(hang_up, POSTS[name]) for name in names},
        "drip": {name: drip_time(POSTS[name]) for name in names},
        "import": {name: processor_time(MODULES[name]) for name in names},
        "ready": {name: processor_time(READY[name]) for name in names},
        "get": {name: costs[name] for name in names if name in costs},
        "size": {name: sizes.get(name) or installed_size(name) for name in names},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
