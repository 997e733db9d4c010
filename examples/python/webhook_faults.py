# An app's offers are duplicated, retried and forged. It decides on each genuine
# offer once.
import json

from call_transfer.testing import demo, open_sandbox
from call_transfer.webhooks import TransferOffer, WebhookEvent, WebhookReceiver


def on_event(event: WebhookEvent) -> None:
    if isinstance(event, TransferOffer):
        print(f"deciding on offer {event.id}")


sandbox = open_sandbox(
    prng=1,
    faults=[
        {"webhooks": {}, "do": {"duplicate": {"copies": 2}}},
        {
            "webhooks": {},
            "do": {
                "retry": {"times": 1, "afterSecs": 30, "evenIfAccepted": True}
            },
        },
        {"webhooks": {}, "do": {"sign": "wrongSecret"}},
    ],
)
sandbox.deliver_to(
    WebhookReceiver(
        secret=demo.signing_secret, clock=sandbox.now, on_event=on_event
    )
)

# Each fault applies once, so each offer gets another one.
for _ in range(3):
    sandbox.trigger_offer()
sandbox.advance(60)
for one in sandbox.deliveries():
    fault = json.dumps(one.get("faultDo"), separators=(",", ":"))
    print(one["at"], one.get("status"), fault)
sandbox.close()
