"""The plugin for pytest. It loads the rest of the package when a test first needs it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from .testing import MockServer, Sandbox, SandboxOptions

_SHOWN = 20
_HELP = "Command that starts the mock server, without its options (default: npx --yes @call-transfer/mock-server)."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option, on the command line and in the configuration."""
    parser.getgroup("call-transfer").addoption("--call-transfer-mock-command", metavar="COMMAND", help=_HELP)
    parser.addini("call_transfer_mock_command", _HELP, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Adds the marker."""
    config.addinivalue_line(
        "markers",
        "call_transfer(**options): how the sandbox of the fixture call_transfer starts: "
        "seed, now, clock_mode, random_seed, policies, faults.",
    )


@pytest.fixture(scope="session")
def call_transfer_server(request: pytest.FixtureRequest) -> Iterator[MockServer]:
    """The mock server of all tests: that of CALL_TRANSFER_MOCK_URL, or one that is started with the first test that needs it."""
    from .testing import MockServerError
    from .testing._server import DEFAULT_COMMAND, find_server

    command = request.config.getoption("--call-transfer-mock-command") or request.config.getini("call_transfer_mock_command")
    try:
        server = find_server(command or DEFAULT_COMMAND)
    except MockServerError as error:
        pytest.fail(str(error), pytrace=False)
    yield server
    server.stop()


@pytest.fixture
def call_transfer(call_transfer_server: MockServer, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A mock platform for the test alone, which ends with it. The marker `call_transfer` says how it starts."""
    from .testing import Sandbox

    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("call_transfer"))):
        options |= marker.kwargs
    with Sandbox(call_transfer_server, request.node.name, cast("SandboxOptions", options)) as sandbox:
        yield sandbox


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the requests and webhooks of the sandbox to the report of a failed test."""
    report = yield
    sandbox: Sandbox | None = getattr(item, "funcargs", {}).get("call_transfer")
    if call.when == "call" and report.failed and sandbox is not None:
        try:
            text = _describe(sandbox)
        except Exception as error:
            text = f"The mock server does not answer: {error}"
        report.sections.append(("call-transfer", text))
    return report


def _describe(sandbox: Sandbox) -> str:
    """The requests and webhooks of a sandbox, without queries, bodies and headers, so without secrets."""
    lines: list[str] = []
    requests, deliveries = sandbox.requests(), sandbox.deliveries()
    lines.append(f"Requests: {len(requests)}")
    for one in requests[-_SHOWN:]:
        outcome = f"{one['status']} {one.get('code', '')}".rstrip() if one["status"] else "no response"
        fault = f" ({one['fault']})" if "fault" in one else ""
        lines.append(f"  {one['at'][11:23]}  {one['method']} {one['path']} → {outcome}{fault}")
    lines.append(f"Webhooks: {len(deliveries)}")
    for sent in deliveries[-_SHOWN:]:
        url = sent["url"].partition("?")[0].rpartition("@")[2]
        answer = f"{sent['status']} {'accepted' if sent['accepted'] else 'not accepted'}" if "status" in sent else "no answer"
        lines.append(f"  {sent['at'][11:23]}  to {url} → {answer}")
    return "\n".join(lines)
