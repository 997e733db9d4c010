from call_transfer.testing import demo, open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.members.get_availability(demo.members.agent)
    print(result)
