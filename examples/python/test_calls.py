import pytest
from call_transfer import CallTransfer, UnprocessableEntityError
from call_transfer.testing import Sandbox, demo
from call_transfer.webhooks import WebhookHandler


def test_reading_is_retried(call_transfer: Sandbox) -> None:
    # A wait of this client moves the sandbox's clock, and takes no time.
    client = call_transfer.client()
    call_transfer.add_fault("listRoles service_unavailable 2 times")

    client.roles.list()

    statuses = [one["status"] for one in call_transfer.requests()]
    assert statuses == [503, 503, 200]


def test_a_member_is_available_again(call_transfer: Sandbox) -> None:
    admin = call_transfer.create_access_token("admin")
    with CallTransfer(base_url=call_transfer.base_url, **admin) as client:
        member = demo.members.member
        assert client.members.get_availability(member).status == "away"

        call_transfer.advance(60 * 60)

        assert client.members.get_availability(member).status == "available"


def test_the_app_gets_the_call_that_it_accepts(call_transfer: Sandbox) -> None:
    offers: list[str] = []
    call_transfer.forward_webhooks_to(
        WebhookHandler(
            secret=demo.signing_secret,
            clock=call_transfer.now,
            on_event=lambda event: offers.append(event.type),
        )
    )

    app = demo.destinations.app
    transfer = call_transfer.start_transfer(destination_id=app)
    call_transfer.advance(1)

    assert offers == ["transfer.offer"]
    assert call_transfer.get_transfer(transfer["id"])["status"] == "connected"


@pytest.mark.call_transfer(policies={"dailyCallLimit": 0})
def test_the_calls_of_the_day_are_used_up(call_transfer: Sandbox) -> None:
    with pytest.raises(UnprocessableEntityError) as failed:
        call_transfer.client().calls.create(
            flow_id=demo.flows.published,
            from_number=demo.numbers.working,
            to_number=demo.recipients.anyone,
        )
    assert failed.value.code == "daily_call_limit_exceeded"
