from call_transfer.testing import open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.calls.list(limit=20)
    print(result)
