"""Receives webhooks: verifies them, and handles each event once.

`call_transfer.webhooks.redis` has a store that processes share, and `call_transfer.webhooks.postgres` an inbox.
"""

from .._generated.models import TransferOffer
from ._errors import WebhookError, WebhookErrorCode, WebhookVerificationError
from ._handler import ReadinessProblem
from ._options import WebhookHandlerOptions
from ._response import WebhookResponse
from ._servers import AsyncWebhookHandler, WebhookHandler
from ._signature import UnknownWebhookEvent, WebhookEvent, sign_webhook, verify_webhook
from ._store import EventClaim, EventStore

__all__ = [
    "AsyncWebhookHandler",
    "EventClaim",
    "EventStore",
    "ReadinessProblem",
    "TransferOffer",
    "UnknownWebhookEvent",
    "WebhookError",
    "WebhookErrorCode",
    "WebhookEvent",
    "WebhookHandler",
    "WebhookHandlerOptions",
    "WebhookResponse",
    "WebhookVerificationError",
    "sign_webhook",
    "verify_webhook",
]
