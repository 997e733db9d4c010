"""What type checkers accept and refuse. mypy runs in strict mode, in which an `ignore` that ignores nothing is an error."""

from __future__ import annotations

import pytest
from conftest import KEY
from servers import Server, respond

from call_transfer import CallTransfer, ConfigurationError, CreateCallRequest, CreateDestinationGroupRequest


def test_a_request_can_be_kept_and_sent_later() -> None:
    call: CreateCallRequest = {"flow_id": "f-1", "from_number": "+15550100001", "to_number": "+15550200001"}
    group: CreateDestinationGroupRequest = {"name": "Desk", "members": [{"destination_id": "d-1"}], "strategy": None}
    answer = respond(201, {"type": "initiated", "callId": "c-1", "id": "g-1"})
    with Server(answer) as server, CallTransfer(base_url=server.url, api_key=KEY) as client:
        client.calls.create(**call)
        client.destination_groups.create(**group)
    placed, created = (request.json() for request in server.requests)
    assert placed == {"flowId": "f-1", "fromNumber": "+15550100001", "toNumber": "+15550200001"}
    assert created == {"name": "Desk", "members": [{"destinationId": "d-1"}], "strategy": None}


def test_a_request_that_lacks_a_number_is_refused_by_types() -> None:
    call: CreateCallRequest = {"flow_id": "f-1", "from_number": "+15550100001"}  # type: ignore[typeddict-item]
    assert "to_number" not in call


def test_options_of_a_client_have_types() -> None:
    with pytest.raises(ConfigurationError, match="retries is not an option"):
        CallTransfer(base_url="https://api.example.com", retries=3)  # type: ignore[call-arg]


def test_options_of_a_copy_have_types() -> None:
    with CallTransfer(base_url="https://api.example.com", api_key=KEY) as client:
        assert client.with_options(timeout=20, max_retries=0, account_id=None)._settings.timeout == 20
        with pytest.raises(ConfigurationError, match="timeuot cannot be changed"):
            client.with_options(timeuot=20)  # type: ignore[call-arg]
        with pytest.raises(ConfigurationError, match="timeout must be seconds"):
            client.with_options(timeout="20")  # type: ignore[arg-type]
