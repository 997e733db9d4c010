# Places a call, and lists all calls.
from call_transfer import CallInitiated, CallQueued
from call_transfer.testing import demo, open_sandbox

# A mock of the platform. For the real one, write client = CallTransfer(), with
# its base_url and your api_key.
sandbox = open_sandbox()
client = sandbox.client()

placed = client.calls.create(
    flow_id=demo.flows.published,
    from_number=demo.numbers.working,
    to_number=demo.recipients.anyone,
)
if isinstance(placed, CallInitiated):
    print(f"call {placed.call_id} is being placed")
elif isinstance(placed, CallQueued):
    print(f"queued at position {placed.position}")
else:
    print(f"accepted as {placed.type}")

for call in client.calls.list(limit=50):
    print(f"{call.direction} call {call.id}: {call.duration:g} s")
sandbox.close()
