"""Calls every operation with the client of openapi-python-client, which parses each response into its models."""

import datetime
import os
from typing import Any

from call_transfer_client import AuthenticatedClient
from call_transfer_client.api.accounts import list_accounts
from call_transfer_client.api.calls import create_call, list_calls
from call_transfer_client.api.destination_groups import create_destination_group
from call_transfer_client.api.destinations import rotate_destination_secret
from call_transfer_client.api.members import delete_member_hours, get_member_availability
from call_transfer_client.api.roles import list_roles
from call_transfer_client.models import (
    AccountList,
    CallInitiated,
    CallList,
    CallQueued,
    CreateCallRequest,
    CreateDestinationGroupRequest,
    DestinationGroup,
    DestinationGroupMember,
    ErrorResponse,
    ErrorResponseMeta,
    MemberAvailability,
    RoleList,
    TransferDestination,
)
from call_transfer_client.types import Response

env = os.environ
client = AuthenticatedClient(base_url=env["CALL_TRANSFER_BASE_URL"], token=env["CALL_TRANSFER_API_KEY"])
members = [
    DestinationGroupMember(destination_id=env["APP_ID"]),
    DestinationGroupMember(destination_id=env["PHONE_ID"], ring_timeout_secs=20),
]
call = CreateCallRequest(flow_id=env["FLOW_ID"], from_number=env["FROM_NUMBER"], to_number=env["TO_NUMBER"])


def show(operation: str, response: Response[Any], *read: object) -> None:
    """Prints the operation, the status and what was read from the response; of an error response, its facts."""
    words = list(read)
    if isinstance(error := response.parsed, ErrorResponse):
        words = [error.code, *(word for one in error.errors or [] for word in (one.field, one.code))]
        if isinstance(error.meta, ErrorResponseMeta):
            words.append(f"{error.meta.retry_after_secs:g}")
    print(operation, response.status_code.value, *words)


for _ in range(2):
    accounts = list_accounts.sync_detailed(client=client)
    ids = [one.id for one in accounts.parsed.accounts[:1]] if isinstance(accounts.parsed, AccountList) else []
    show("listAccounts", accounts, *ids)

for _ in range(2):
    roles = list_roles.sync_detailed(client=client)
    assert isinstance(roles.parsed, RoleList)
    show("listRoles", roles, *(one.role for one in roles.parsed.roles))

for _ in range(2):
    availability = get_member_availability.sync_detailed(env["MEMBER_ID"], client=client)
    assert isinstance(availability.parsed, MemberAvailability)
    show("getMemberAvailability", availability, availability.parsed.status, availability.parsed.source)

for name in ["Day shift", "Day shift", "Late shift", "Late shift"]:
    body = CreateDestinationGroupRequest(name=name, members=members)
    group = create_destination_group.sync_detailed(client=client, body=body)
    made = group.parsed if isinstance(group.parsed, DestinationGroup) else None
    show("createDestinationGroup", group, *([made.strategy, made.total_timeout_secs] if made else []))

for _ in range(2):
    rotated = rotate_destination_secret.sync_detailed(env["APP_ID"], client=client)
    assert isinstance(rotated.parsed, TransferDestination)
    show("rotateDestinationSecret", rotated, rotated.parsed.kind)

show("deleteMemberHours", delete_member_hours.sync_detailed(env["MEMBER_ID"], client=client))

for _ in range(3):
    placed = create_call.sync_detailed(client=client, body=call)
    match placed.parsed:
        case CallInitiated(type_=kind):
            show("createCall", placed, kind)
        case CallQueued(type_=kind, position=position):
            show("createCall", placed, kind, position)
        case ErrorResponse():
            show("createCall", placed)

start = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
calls = list_calls.sync_detailed(client=client, limit=2, start_date=start)
assert isinstance(calls.parsed, CallList)
show("listCalls", calls, len(calls.parsed.calls), "of", calls.parsed.meta.total)
