# Receives offers for two destinations, each with a URL and a secret of its own.
import json
import uuid

from call_transfer.webhooks import (
    TransferOffer,
    WebhookEvent,
    WebhookHandler,
    WebhookResponse,
    sign_webhook,
)

# Yours are in your configuration. During a rotation, a list has two secrets.
front_desk = ["secret-of-the-front-desk"]
sales = ["secret-of-sales"]


def handler_of(name: str, secret: list[str]) -> WebhookHandler:
    """Receives the offers of one destination."""

    def on_event(event: WebhookEvent) -> WebhookResponse | None:
        if not isinstance(event, TransferOffer):
            return None
        # A secret signs for its own destination only.
        if event.destination_id != name:
            return WebhookResponse(403, "Another destination.\n")
        print(f"a call is offered to {name}")
        return None

    return WebhookHandler(secret=secret, on_event=on_event)


# Each is a WSGI application: mount it at its path, or call it in a view.
handlers = {
    "/offers/front-desk": handler_of("front-desk", front_desk),
    "/offers/sales": handler_of("sales", sales),
}


# What the platform sends, and what it must not.
def offer(path: str, destination: str, secret: list[str]) -> None:
    event = {
        "type": "transfer.offer",
        "id": str(uuid.uuid4()),
        "destinationId": destination,
    }
    body = json.dumps(event)
    headers = {"Service-Signature": sign_webhook(body, secret=secret)}
    answer = handlers[path].handle(body.encode(), headers)
    print(f"{path}, for {destination}: answered {answer.status}")


offer("/offers/front-desk", "front-desk", front_desk)
offer("/offers/sales", "sales", sales)
# The front desk's secret signs an offer that names sales.
offer("/offers/front-desk", "sales", front_desk)
offer("/offers/sales", "sales", front_desk)
