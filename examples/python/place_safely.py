# Places calls, and says what is known of each.
from call_transfer import (
    ApiError,
    CallInitiated,
    CallQueued,
    CallTransferError,
    OutcomeUnknownError,
)
from call_transfer.testing import demo, open_sandbox

# A mock of the platform, with room for one call at a time. For the real one,
# write client = CallTransfer().
sandbox = open_sandbox(policies={"concurrentCallLimit": 1})
client = sandbox.client(total_timeout=20)


def place(to_number: str) -> str:
    """Places a call, and says what is known of it.

    It never dials twice: if in doubt, it asks a person to look.
    """
    try:
        placed = client.calls.create(
            flow_id=demo.flows.published,
            from_number=demo.numbers.working,
            to_number=to_number,
        )
    except OutcomeUnknownError as error:
        found = error.reconcile()
        if found.candidates:
            count = len(found.candidates)
            return f"perhaps placed, do not dial again: {count} in the list"
        if found.complete:
            return "probably not placed, but look again: none in the list"
        return "perhaps placed: look at the list"
    except CallTransferError as error:
        # Every other error means that no call was placed.
        reason = error.code if isinstance(error, ApiError) else error
        return f"not placed: {reason}"
    if isinstance(placed, CallInitiated):
        return "the phone rings"
    if isinstance(placed, CallQueued):
        return f"queued at position {placed.position}"
    # A newer platform may accept a call in another way.
    return f"accepted as {placed.type}"


print(place(demo.recipients.anyone))
print(place(demo.recipients.anyone))
print(place(demo.recipients.do_not_call))

# Ten minutes later, these calls are over.
sandbox.advance(600)
sandbox.add_fault({"do": {"status": 502}})
print(f"a proxy fails: {place(demo.recipients.anyone)}")
sandbox.add_fault({"do": "truncate"})
print(f"the answer breaks off: {place(demo.recipients.anyone)}")
sandbox.close()
