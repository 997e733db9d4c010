"""Receiving webhooks: verify them, and handle each event once.

`call_transfer.webhooks.redis` and `call_transfer.webhooks.postgres` have the stores that processes share.
"""

from .._generated.models import TransferOffer
from ._answer import WebhookResponse
from ._asgi import AsyncWebhookReceiver
from ._codes import WebhookError, WebhookErrorCode, WebhookVerificationError
from ._events import UnknownEvent, WebhookEvent
from ._memory import AsyncMemoryEventStore, MemoryEventStore
from ._receiver import ReceiverOptions, WebhookProblem
from ._signature import sign_webhook, verify_webhook
from ._stores import AsyncEventStore, EventClaim, EventStore
from ._wsgi import WebhookReceiver

__all__ = [
    "AsyncEventStore",
    "AsyncMemoryEventStore",
    "AsyncWebhookReceiver",
    "EventClaim",
    "EventStore",
    "MemoryEventStore",
    "ReceiverOptions",
    "TransferOffer",
    "UnknownEvent",
    "WebhookError",
    "WebhookErrorCode",
    "WebhookEvent",
    "WebhookProblem",
    "WebhookReceiver",
    "WebhookResponse",
    "WebhookVerificationError",
    "sign_webhook",
    "verify_webhook",
]
