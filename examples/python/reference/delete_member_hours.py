from call_transfer.testing import demo, open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    client.members.delete_hours(demo.members.agent)
