# Makes the platform fail in seven ways, and prints what the error of each says.
from collections.abc import Callable

from call_transfer import (
    ApiError,
    CallTransferError,
    ConfigurationError,
    OutcomeUnknownError,
    RateLimitError,
    RequestError,
)
from call_transfer.testing import demo, open_sandbox

sandbox = open_sandbox()
client = sandbox.client(max_retries=0)


def place() -> None:
    client.calls.create(
        flow_id=demo.flows.published,
        from_number=demo.numbers.working,
        to_number=demo.recipients.anyone,
    )


def describe(error: CallTransferError) -> str:
    """Says what a failed request is: first by its code, then by its class."""
    if isinstance(error, ApiError) and error.code == "validation_failed":
        return ", ".join(
            f"{one.field} {one.code}" for one in error.errors or ()
        )
    if isinstance(error, RateLimitError):
        return f"{error.code}, wait {error.retry_after:g} s"
    if isinstance(error, ApiError):
        code = error.code or f"without a code: {error.body_text}"
        return f"{error.status} {code}"
    if isinstance(error, OutcomeUnknownError):
        return f"look before you repeat it: {error.__cause__}"
    if isinstance(error, ConfigurationError):
        return f"correct the option {error.option}"
    return str(error)


def show(what: str, request: Callable[[], object]) -> None:
    try:
        request()
    except CallTransferError as error:
        outcome = (
            error.outcome if isinstance(error, RequestError) else "not_sent"
        )
        print(f"{what}: {outcome}\n  {describe(error)}")


groups = client.destination_groups
show("an invalid group", lambda: groups.create(name="", members=[]))

sandbox.add_fault("createCall rateLimit 30s")
show("a rate limit", place)

sandbox.add_fault({"do": {"status": 502, "body": "Bad gateway"}})
show("a proxy's answer", client.roles.list)

sandbox.add_fault("listRoles reset")
show("a lost connection", client.roles.list)

sandbox.add_fault("listRoles hang")
show("no answer", lambda: client.roles.list(options={"timeout": 0.05}))

sandbox.add_fault("createCall process_then_reset")
show("a lost answer to a placed call", place)

show("a missing option", lambda: client.with_options(base_url=""))

# This client retries. The server asks for a longer wait than the client
# accepts.
sandbox.add_fault("listRoles rateLimit 90s")
try:
    sandbox.client().roles.list()
except RequestError as error:
    print(f"not retried: {error.retry_skipped_reason}")
    attempts = len(error.attempts)
    print(f"attempts: {attempts}, for support: {error.request_id}")
sandbox.close()
