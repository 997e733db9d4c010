from call_transfer.testing import demo, open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.calls.create(
        flow_id=demo.flows.published,
        from_number=demo.numbers.working,
        to_number=demo.recipients.anyone,
    )
    print(result)
