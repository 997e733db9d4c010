from call_transfer.testing import Sandbox, demo
from call_transfer.webhooks import WebhookEvent, WebhookReceiver


def test_the_receiver_withstands_an_attack(call_transfer: Sandbox) -> None:
    handled: list[str | None] = []

    def on_event(event: WebhookEvent) -> None:
        handled.append(event.id)

    call_transfer.deliver_to(
        WebhookReceiver(secret=demo.signing_secret, on_event=on_event)
    )

    app = {"destinationId": demo.destinations.app}
    report = call_transfer.control("POST", "/webhooks/attacks", app)

    assert report["findings"] == []
    assert len(handled) == len(set(handled))
