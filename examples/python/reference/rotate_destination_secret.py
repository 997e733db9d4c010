from call_transfer.testing import demo, open_sandbox

with open_sandbox() as sandbox:
    client = sandbox.client()
    result = client.destinations.rotate_secret(demo.destinations.app)
    print(result)
