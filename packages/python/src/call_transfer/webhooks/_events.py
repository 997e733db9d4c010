"""The events of webhooks (§6), and their keys in stores."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, TypeAlias, cast

from .._generated.models import TransferOffer
from .._generated.signature import EVENT
from .._json import refuse_constant
from .._model import ApiModel, parse
from ._errors import WebhookVerificationError

_PLAIN_ID = re.compile(r"[\x21-\x7e]{1,200}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnknownWebhookEvent(ApiModel):
    """An event of a type added after this version. `model_extra` contains its other fields."""

    type: str
    """The type as the platform sent it."""
    id: str | None = None
    """ID of the event, the same each time it is sent."""


WebhookEvent: TypeAlias = TransferOffer | UnknownWebhookEvent
"""A verified event. `isinstance(event, TransferOffer)` says that it offers a call to an `app` destination (§6)."""

# Now, so that no webhook waits for it: the concurrent first use of a model that is not built is not safe.
TransferOffer.model_rebuild()
UnknownWebhookEvent.model_rebuild()


def event_of(body: bytes) -> WebhookEvent:
    try:
        # A byte order mark is no part of the text.
        parsed: object = json.loads(body.decode("utf-8-sig"), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        message = "The signature is valid, but the body is not JSON."
        raise WebhookVerificationError(message, "invalid_event") from None
    fields: dict[str, Any] = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    if not isinstance(fields.get("type"), str):
        message = "The signature is valid, but the body is not an event: it has no type."
        raise WebhookVerificationError(message, "invalid_event")
    event: WebhookEvent = parse(TransferOffer if fields["type"] == EVENT else UnknownWebhookEvent, fields)
    return event


def key_of(event: WebhookEvent, body: bytes) -> str:
    """Names an event in a store: by its id (A-30), or by its body if it has none."""
    # One that does not fit the model is kept as it was sent.
    identifier: object = event.id
    if not isinstance(identifier, str) or identifier == "":
        return f"body-sha256:{hashlib.sha256(body).hexdigest()}"
    if _PLAIN_ID.fullmatch(identifier):
        return f"id:{identifier}"
    # As JSON, where half of a surrogate pair stays what it is.
    text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(identifier, ensure_ascii=False))
    return f"id-sha256:{hashlib.sha256(text.encode()).hexdigest()}"
