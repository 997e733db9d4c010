from call_transfer.testing import demo, open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.destination_groups.create(
        name="Front desk",
        members=[{"destination_id": demo.destinations.phone}],
    )
    print(result)
