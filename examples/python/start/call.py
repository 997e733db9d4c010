from call_transfer import ApiError
from call_transfer.testing import demo, open_sandbox

# A mock of the platform, with demo data and a clock of its own.
sandbox = open_sandbox()
client = sandbox.client()


def place(to_number: str) -> str:
    placed = client.calls.create(
        flow_id=demo.flows.published,
        from_number=demo.numbers.working,
        to_number=to_number,
    )
    return placed.type


print("placed:", place(demo.recipients.anyone))

sandbox.advance(60)
last = client.calls.list(limit=1).first_page().calls[0]
print("a minute later:", last.direction, f"{last.duration:g}")

try:
    place(demo.recipients.do_not_call)
except ApiError as error:
    print("refused:", error.status, error.code)
sandbox.close()
