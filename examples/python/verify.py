from call_transfer.webhooks import (
    TransferOffer,
    WebhookEvent,
    WebhookVerificationError,
    sign_webhook,
    verify_webhook,
)

secret = "the signing secret of your destination"


def verify(body: bytes, headers: dict[str, str]) -> WebhookEvent | None:
    """Body as it was received, before any parsing."""
    try:
        return verify_webhook(body, headers, secret=secret)
    except WebhookVerificationError as error:
        print(f"rejected: {error.code}")
        return None


# As the platform signs.
body = b'{"type":"transfer.offer","id":"7","destinationId":"front-desk"}'
event = verify(body, {"Service-Signature": sign_webhook(body, secret=secret)})
if isinstance(event, TransferOffer):
    print(f"offered to {event.destination_id}")
verify(body, {"Service-Signature": sign_webhook(body, secret="another")})
