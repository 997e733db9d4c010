import os

import uvicorn
from call_transfer.webhooks import (
    AsyncWebhookHandler,
    TransferOffer,
    WebhookEvent,
)


def on_event(event: WebhookEvent) -> None:
    if isinstance(event, TransferOffer):
        print(f"taking a call for {event.destination_id}", flush=True)


# An ASGI application, for any server. Forged offers end in it, and are logged.
handler = AsyncWebhookHandler(
    secret=os.environ["CALL_TRANSFER_SIGNING_SECRET"], on_event=on_event
)
print("waiting for offers at http://127.0.0.1:3000/offers", flush=True)
uvicorn.run(handler, port=3000, log_level="warning")
