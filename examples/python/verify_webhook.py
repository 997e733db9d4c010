# Signs an offer as the platform does, and verifies it.
import json

from call_transfer.webhooks import (
    TransferOffer,
    WebhookVerificationError,
    sign_webhook,
    verify_webhook,
)

secret = "a-secret-of-this-test"
offer = {"type": "transfer.offer", "id": "1", "destinationId": "front-desk"}
body = json.dumps(offer).encode()
headers = {"Service-Signature": sign_webhook(body, secret=secret)}

event = verify_webhook(body, headers, secret=secret)
if isinstance(event, TransferOffer):
    print(f"a call is offered to {event.destination_id}")

changed: list[tuple[bytes, dict[str, str]]] = [
    (body + b" ", headers),
    (body, {}),
]
for forged_body, forged_headers in changed:
    try:
        verify_webhook(forged_body, forged_headers, secret=secret)
    except WebhookVerificationError as error:
        print(error)
