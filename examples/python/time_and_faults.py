# Moves time, makes requests fail, and gives two tests a platform each.
from datetime import UTC, datetime

from call_transfer import OutcomeUnknownError
from call_transfer.testing import Sandbox, demo, open_sandbox


def time_of(sandbox: Sandbox) -> str:
    time = datetime.fromtimestamp(sandbox.now(), UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z")


# Time stands still until it is moved. Moving it runs everything that is due, in
# order, and then returns.
sandbox = open_sandbox()
client = sandbox.client()
member = demo.members.member
print(time_of(sandbox), client.members.get_availability(member).status)
for event in sandbox.advance(3600):
    print(event["at"], event["type"])
print(time_of(sandbox), client.members.get_availability(member).status)

# A fault answers for the platform. The client repeats what is safe to repeat.
sandbox.add_fault("listRoles 503")
print("after a refusal:", len(client.roles.list().roles), "roles")
sandbox.add_fault("createCall process_then_reset")
try:
    client.calls.create(
        flow_id=demo.flows.published,
        from_number=demo.numbers.working,
        to_number=demo.recipients.anyone,
    )
except OutcomeUnknownError as error:
    print("after a lost answer:", type(error).__name__)
arrived = [
    f"{one['operationId']} {one['status']}" for one in sandbox.requests()
]
print("arrived:", ", ".join(arrived[-3:]))

# Another sandbox shares nothing with the first: neither calls nor faults nor
# time.
other = open_sandbox()
here = client.calls.list().first_page().meta.total
there = other.client().calls.list().first_page().meta.total
print(f"calls here: {here}, calls there: {there}, time there: {time_of(other)}")
sandbox.close()
other.close()
