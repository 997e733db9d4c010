from call_transfer import CallTransfer

with CallTransfer(base_url="https://api.example.com", timeout=20) as client:
    print([role.role for role in client.roles.list().roles])
