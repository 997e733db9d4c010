"""The five tasks with what openapi-python-client makes of the document of the API. It has no webhooks, and no paging."""

from call_transfer_client import AuthenticatedClient
from call_transfer_client.api.calls import create_call, list_calls
from call_transfer_client.api.roles import list_roles
from call_transfer_client.models import (
    CallInitiated,
    CallQueued,
    CreateCallRequest,
    ErrorResponse,
    CallList,
)


# task: place and branch
def place(client: AuthenticatedClient) -> str | float | None:
    body = CreateCallRequest(flow_id="f", from_number="+15550100001", to_number="+15550200001")
    placed = create_call.sync(client=client, body=body)
    placed.position  # wrong
    if isinstance(placed, CallInitiated):
        placed.position  # wrong
        return placed.call_id
    return placed.position if isinstance(placed, CallQueued) else None


# task: iterate a list
def iterate(client: AuthenticatedClient) -> list[str]:
    ids: list[str] = []
    total = 1
    while len(ids) < total:
        page = list_calls.sync(client=client, limit=50, offset=len(ids))
        if not isinstance(page, CallList) or not page.calls:
            break
        page.calls[0].lenght  # wrong
        ids.extend(call.id for call in page.calls)
        total = page.meta.total
    return ids


# task: read an error's code
def read_code(client: AuthenticatedClient) -> str | None:
    answer = list_roles.sync(client=client)
    if isinstance(answer, ErrorResponse):
        answer.kode  # wrong
        number: int = answer.code  # wrong
        return answer.code
    return None


# task: refuse a wrong argument
def arguments(client: AuthenticatedClient) -> None:
    CreateCallRequest(flow_id=1, from_number="+15550100001", to_number="+15550200001")  # wrong
    CreateCallRequest(flowId="f", from_number="+15550100001", to_number="+15550200001")  # wrong
    CreateCallRequest(from_number="+15550100001", to_number="+15550200001")  # wrong
    list_calls.sync(client=client, limit="50")  # wrong
