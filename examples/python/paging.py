# Reads a list in every way, also while calls come in.
from call_transfer.testing import demo, open_sandbox

sandbox = open_sandbox()
client = sandbox.client()


def place() -> None:
    client.calls.create(
        flow_id=demo.flows.published,
        from_number=demo.numbers.working,
        to_number=demo.recipients.anyone,
    )


for _ in range(4):
    place()

# The first page.
first = client.calls.list(limit=3).first_page()
print(f"{len(first.calls)} of {first.meta.total} calls")

# Every call of every page. Each page is requested when it is needed.
seconds = sum(call.duration for call in client.calls.list(limit=3))
print(f"{seconds:g} s in all")

# A list, with a bound.
completed = client.calls.list(status="completed").to_list(max_items=1000)
print(f"completed: {len(completed)}")

# The pages as they come, while a call comes in at the front and moves the
# others.
ids: list[str] = []
for page in client.calls.list(limit=3).pages():
    ids += [call.id for call in page.calls]
    print(f"a page of {len(page.calls)}, {page.meta.total} in all")
    if len(ids) == 3:
        place()
print(f"{len(ids)} items, {len(set(ids))} calls")
sandbox.close()
