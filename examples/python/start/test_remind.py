from call_transfer.testing import Sandbox, demo
from remind import remind


def call(sandbox: Sandbox, to_number: str = demo.recipients.anyone) -> str:
    client = sandbox.client()
    flow, number = demo.flows.published, demo.numbers.working
    return remind(client, flow, number, to_number)


def test_the_phone_rings_for_a_minute(call_transfer: Sandbox) -> None:
    assert call(call_transfer) == "The phone rings."

    call_transfer.advance(3600)

    last = call_transfer.client().calls.list(limit=1).first_page().calls[0]
    assert last.duration == 60


def test_a_person_who_wants_no_calls(call_transfer: Sandbox) -> None:
    said = call(call_transfer, demo.recipients.do_not_call)
    assert said == "This number must not be called."


def test_a_refusal_that_is_over_soon(call_transfer: Sandbox) -> None:
    call_transfer.add_fault("createCall queue_full")
    assert call(call_transfer) == "The phone rings."
    assert [one["status"] for one in call_transfer.requests()] == [429, 201]


def test_the_reception_answers(call_transfer: Sandbox) -> None:
    phone = demo.destinations.phone
    transfer = call_transfer.start_transfer(
        destination_id=phone,
        script=[{"destinationId": phone, "answerAfterSecs": 3}],
    )
    call_transfer.advance(3)
    assert call_transfer.get_transfer(transfer["id"])["status"] == "connected"
