# Adds a header to each request, and prints each attempt.
from itertools import count

import httpx2
from call_transfer.testing import open_sandbox

attempts = count(1)


def print_attempt(response: httpx2.Response) -> None:
    print(f"listRoles, attempt {next(attempts)}: {response.status_code}")


sandbox = open_sandbox(faults=["* 503 once"])
with httpx2.Client(event_hooks={"response": [print_attempt]}) as http_client:
    headers = {"x-team": "front desk"}
    client = sandbox.client(headers=headers, http_client=http_client)
    print(", ".join(one.role for one in client.roles.list().roles))
sandbox.close()
