from call_transfer.testing import open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.roles.list()
    print(result)
