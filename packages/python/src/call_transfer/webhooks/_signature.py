"""The signature of webhooks (§6), their events, and the keys of these in stores."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

from .._generated.models import TransferOffer
from .._generated.signature import EVENT, HEADER, SCHEME, SEPARATOR, TOLERANCE_SECS
from .._json import reject_constant
from .._model import ApiModel, parse
from .._redact import Secret as Hidden
from ._errors import WebhookVerificationError

_PLAIN_ID = re.compile(r"[\x21-\x7e]{1,200}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_HEADER = 4096
_MOST_SIGNATURES = 8

RawBody = bytes | bytearray | memoryview | str
"""A body as it was received, before any parsing."""
WebhookHeaders = Mapping[str, str] | Iterable[tuple[str, str]]
"""Request headers: a mapping, such as those of Django, Flask and Starlette, or pairs of name and value."""


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
        parsed: object = json.loads(body.decode("utf-8-sig"), parse_constant=reject_constant)
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


class Signed(NamedTuple):
    timestamp: str
    signatures: list[str]


def held(secret: object) -> Hidden:
    """Hides secrets from local variables of frames."""
    return secret if isinstance(secret, Hidden) else Hidden(secret)


def _is_secret(one: object) -> bool:
    # An error of encode() would show the secret.
    return isinstance(one, str) and one != "" and one == one.strip() and re.search("[\ud800-\udfff]", one) is None


def secrets_of(secret: Hidden) -> tuple[Hidden, ...]:
    """Returns the secrets. One that is empty or padded is an error."""
    is_many = not isinstance(secret.reveal(), str) and isinstance(secret.reveal(), Iterable)
    secrets = tuple(map(held, secret.reveal())) if is_many else (secret,) if isinstance(secret.reveal(), str) else ()
    if not secrets:
        raise ValueError("secret must be a signing secret or a list of them")
    if not all(_is_secret(one.reveal()) for one in secrets):
        raise ValueError("secret must be non-empty text without spaces or line breaks around it, and without lone surrogates")
    return secrets


def tolerance_of(tolerance: float) -> float:
    is_number = isinstance(cast("object", tolerance), (int, float)) and not isinstance(tolerance, bool)
    if not (is_number and math.isfinite(tolerance) and tolerance > 0):
        raise ValueError("tolerance must be a finite number of seconds above 0")
    return tolerance


def bytes_of(body: RawBody) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    try:
        return bytes(memoryview(body))
    except TypeError:
        message = "The body must be the raw bytes or text of the request, not a parsed object."
        raise WebhookVerificationError(message, "body_already_read") from None


def _as_text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def values_of(headers: WebhookHeaders, header: str) -> list[str]:
    """Returns the values of a header, whose name may have capitals."""
    given = cast("Any", headers)
    try:
        pairs = [(name, value) for name, value in (given.items() if hasattr(given, "items") else given)]
    except (TypeError, ValueError):
        raise ValueError("headers must be a mapping of names and values, or pairs of them, as the request has them") from None
    found: list[str] = []
    for name, value in pairs:
        # ASGI has bytes, and some gateways a list for each name.
        if _as_text(name).lower() == header.lower():
            found += map(_as_text, cast("Iterable[object]", value if isinstance(value, (list, tuple)) else [value]))
    return found


def parse_header(headers: WebhookHeaders) -> Signed:
    """Parses the signature header. Skips malformed signatures and unknown schemes."""
    found = values_of(headers, HEADER)
    if len(found) != 1:
        raise _header_error(f"appears {len(found)} times" if found else "is missing")
    if len(found[0]) > _LONGEST_HEADER:
        raise _header_error(f"is longer than {_LONGEST_HEADER} characters")
    parts = [part.strip().partition("=") for part in found[0].split(",")]
    timestamps = [value for name, equals, value in parts if name == "t" and equals]
    if len(timestamps) != 1 or not re.fullmatch(r"[0-9]{1,12}", timestamps[0]):
        raise _header_error("must contain one t=<Unix seconds>")
    signatures = [value for name, equals, value in parts if name == SCHEME and equals]
    if len(signatures) > _MOST_SIGNATURES:
        raise _header_error(f"has more than {_MOST_SIGNATURES} signatures")
    well_formed = [value for value in signatures if re.fullmatch(r"[0-9a-f]{64}", value)]
    if not well_formed:
        raise _header_error(f"has no valid {SCHEME} signature")
    return Signed(timestamps[0], well_formed)


def _header_error(problem: str) -> WebhookVerificationError:
    return WebhookVerificationError(f"The header {HEADER} {problem}.", "invalid_signature_header")


def verify_webhook(
    body: RawBody,
    headers: WebhookHeaders,
    *,
    secret: str | Sequence[str],
    tolerance: float = TOLERANCE_SECS,
    clock: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Verifies a webhook and returns its event (§6). Any secret may match any signature, so that receivers can change secrets during a
    rotation.

    Args:
        body: The raw body, before any parsing.
        headers: The request's headers. Case does not count.
        secret: The destination's signing secret. During a rotation, the new and the previous one: either may match.
        tolerance: Seconds that the signature's time may differ from now, in both directions.
        clock: Source of time in seconds since the epoch.

    Raises:
        WebhookVerificationError: The webhook failed verification. The message says why, `code` says it to programs.
        ValueError: An argument is invalid, e.g. an empty secret.

    """
    secret = cast("Any", held(secret))
    secrets = secrets_of(cast("Any", secret))
    tolerance = tolerance_of(tolerance)
    timestamp, signatures = parse_header(headers)
    raw = bytes_of(body)
    is_valid = False
    for one in secrets:
        expected = _sign(one, timestamp, raw)
        for candidate in signatures:
            is_valid = hmac.compare_digest(expected, candidate) or is_valid
    if not is_valid:
        message = "No signature matches. Check the destination's secret, and that the body is unchanged."
        raise WebhookVerificationError(message, "signature_mismatch")
    age = clock() - int(timestamp)
    if not abs(age) <= tolerance:
        direction = "old" if age > 0 else "ahead"
        message = f"The signature is {abs(round(age))} s {direction}, more than {tolerance:g} s. Check the clocks."
        raise WebhookVerificationError(message, "timestamp_out_of_tolerance")
    return event_of(raw)


def sign_webhook(body: RawBody, *, secret: str | Sequence[str], timestamp: float | None = None) -> str:
    """Signs a body like the platform, for tests of a handler. Returns the value of the signature header (§6).

    Args:
        body: The raw body.
        secret: The signing secret. During a rotation, the new and the previous one, in this order.
        timestamp: Time of the signature in seconds since the epoch; now by default.

    Raises:
        ValueError: An argument is invalid, e.g. an empty secret.

    """
    secret = cast("Any", held(secret))
    seconds = str(math.floor(time.time() if timestamp is None else timestamp))
    raw = bytes_of(body)
    return ",".join([f"t={seconds}", *(f"{SCHEME}={_sign(one, seconds, raw)}" for one in secrets_of(cast("Any", secret)))])


def _sign(secret: Hidden, timestamp: str, body: bytes) -> str:
    return hmac.new(secret.reveal().encode(), f"{timestamp}{SEPARATOR}".encode() + body, hashlib.sha256).hexdigest()
