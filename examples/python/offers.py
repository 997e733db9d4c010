"""Decides about offers. The recipes share it."""

import os
from pathlib import Path

from call_transfer.webhooks import TransferOffer, WebhookEvent, WebhookResponse


def secrets() -> list[str]:
    """Reads a mounted file, such as a Kubernetes secret: one signing secret in each line. So a rotation needs no restart."""
    file = Path(os.environ["CALL_TRANSFER_SIGNING_SECRETS_FILE"])
    return file.read_text().split()


def decide(event: WebhookEvent) -> WebhookResponse | None:
    """Takes every offer."""
    if not isinstance(event, TransferOffer):
        return None
    print(f"offer {event.id}", flush=True)
    # Any 2xx takes the call. Another status leaves it to others.
    return WebhookResponse(204)
