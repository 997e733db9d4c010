"""Testing a program against the mock server: the fixture `call_transfer` for pytest, and the same without pytest."""

from ._demo import demo
from ._sandbox import (
    AccountToken,
    Answerer,
    Delivery,
    DeliveryResponse,
    Event,
    Fault,
    RequestEntry,
    Ring,
    Sandbox,
    SandboxOptions,
    ScriptEntry,
    SignatureParts,
    SignatureValue,
    Transfer,
    open_sandbox,
)
from ._server import MockServer, MockServerError

__all__ = [
    "AccountToken",
    "Answerer",
    "Delivery",
    "DeliveryResponse",
    "Event",
    "Fault",
    "MockServer",
    "MockServerError",
    "RequestEntry",
    "Ring",
    "Sandbox",
    "SandboxOptions",
    "ScriptEntry",
    "SignatureParts",
    "SignatureValue",
    "Transfer",
    "demo",
    "open_sandbox",
]
