import logging
import os
from typing import Literal

from call_transfer.webhooks import (
    WebhookErrorCode,
    WebhookEvent,
    WebhookReceiver,
)


def urgency(
    code: WebhookErrorCode,
) -> Literal["ignore", "look", "wake someone"]:
    match code:
        case "bad_header" | "bad_request":
            return "ignore"  # anybody on the internet can cause them
        case "clock_skew" | "secrets_failed" | "event_failed":
            return "wake someone"  # offers are lost now
        case _:
            return "look"


def on_error(error: BaseException, code: WebhookErrorCode) -> None:
    level = (
        logging.CRITICAL if urgency(code) == "wake someone" else logging.INFO
    )
    logging.getLogger("offers").log(level, "%s: %s", code, error)


def on_event(event: WebhookEvent) -> None:
    """Decides on the offer."""


receive = WebhookReceiver(
    secret=os.environ["SIGNING_SECRET"], on_event=on_event, on_error=on_error
)
