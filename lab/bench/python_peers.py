"""Sets the Python client beside other SDKs: the same server of raw bytes, the same faults, one run. Prints figures as JSON.

The argument is the folder in which openapi-python-client has written its client.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import re
import statistics
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
from servers import Server, hang_up, respond  # noqa: E402

from call_transfer import CallTransfer  # noqa: E402

KEY = "svc_live_0123456789abcdef"
PATIENCE = 10.0
"""Seconds after which a client is given up."""

Use = Callable[[str], Any]


def ours_post(url: str) -> Any:
    with CallTransfer(base_url=url, api_key=KEY) as client:
        return client.calls.create(flow_id="f", from_number="+15550100001", to_number="+15550200001")


def openai_post(url: str) -> Any:
    client = openai.OpenAI(base_url=url, api_key=KEY)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])


def anthropic_post(url: str) -> Any:
    client = anthropic.Anthropic(base_url=url, api_key=KEY)
    return client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])


def stripe_post(url: str) -> Any:
    client = stripe.StripeClient("sk_test_0123456789", base_addresses={"api": url})
    return client.v1.customers.create({"name": "x"})


def generated_post(url: str) -> Any:
    client = AuthenticatedClient(base_url=url, token=KEY)
    call = CreateCallRequest(flow_id="f", from_number="+15550100001", to_number="+15550200001")
    with client:
        return create_call.sync_detailed(client=client, body=call)


POSTS: dict[str, Use] = {
    "call-transfer": ours_post,
    "openai": openai_post,
    "anthropic": anthropic_post,
    "stripe": stripe_post,
    "openapi-python-client": generated_post,
}


def sent(use: Use) -> int:
    with Server(hang_up) as server:

        def send() -> None:
            with contextlib.suppress(Exception):
                use(server.url)

        # A thread that waits for minutes is left behind.
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        return len(server.requests)


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
        "lost": {name: sent(POSTS[name]) for name in names},
        "get": {name: costs[name] for name in names if name in costs},
        "size": {name: sizes.get(name) or installed_size(name) for name in names},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
