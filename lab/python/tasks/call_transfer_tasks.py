"""The five tasks with this client. A checker must refuse the lines marked as wrong, and no others."""

from call_transfer import ApiError, CallInitiated, CallQueued, CallTransfer
from call_transfer.webhooks import TransferOffer, verify_webhook


# task: place and branch
def place(client: CallTransfer) -> str | float | None:
    placed = client.calls.create(flow_id="f", from_number="+15550100001", to_number="+15550200001")
    placed.position  # wrong
    if isinstance(placed, CallInitiated):
        placed.position  # wrong
        return placed.call_id
    return placed.position if isinstance(placed, CallQueued) else None


# task: iterate a list
def iterate(client: CallTransfer) -> list[str]:
    ids: list[str] = []
    for call in client.calls.list(limit=50):
        call.lenght  # wrong
        ids.append(call.id)
    return ids


# task: read an error's code
def read_code(client: CallTransfer) -> str | None:
    try:
        client.roles.list()
    except ApiError as error:
        error.kode  # wrong
        number: int = error.code  # wrong
        return error.code
    return None


# task: verify a webhook
def verify(body: bytes, headers: dict[str, str]) -> str | None:
    verify_webhook(body, headers)  # wrong
    event = verify_webhook(body, headers, secret="s")
    event.destination_id  # wrong
    if isinstance(event, TransferOffer):
        event.destination  # wrong
        return event.destination_id
    return None


# task: refuse a wrong argument
def arguments(client: CallTransfer) -> None:
    client.calls.create(flow_id=1, from_number="+15550100001", to_number="+15550200001")  # wrong
    client.calls.create(flowId="f", from_number="+15550100001", to_number="+15550200001")  # wrong
    client.calls.create(from_number="+15550100001", to_number="+15550200001")  # wrong
    client.calls.list(limit="50")  # wrong
