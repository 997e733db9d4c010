"""The response to an event, and its text in a store. The page on stores describes the format, and `vectors/stored-answers.json` of
`@call-transfer/contract` has examples.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .._json import reject_constant
from ._errors import Rejection

_VERSION = 1
"""A reader must not handle an event whose stored response has a higher one. Added fields need no new version."""

_LONGEST_STORED_BODY = 16 * 1024
"""Bytes. A longer body is not stored: duplicates get the response without it."""

_BODILESS = (204, 205, 304)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, init=False)
class WebhookResponse:
    """The response of `on_event`. Any 2xx takes an offered call, and any other status leaves it to others.

    Args:
        status: HTTP status, from 200 to 599.
        body: The body. Text is sent as UTF-8.
        headers: Headers. The content type of text is `text/plain;charset=UTF-8` unless they have another. Duplicates get the content
            type alone. A `Content-Length` is replaced by that of the body.

    Raises:
        ValueError: The status is not from 200 to 599, a status without a body has one, or a header is not one line of
        text.

    """

    status: int
    """HTTP status, from 200 to 599."""
    body: bytes | None
    """The body; None if there is none."""
    headers: Mapping[str, str]
    """Headers, by name in lower case."""

    def __init__(self, status: int = 204, body: bytes | str | None = None, headers: Mapping[str, str] | None = None) -> None:
        if type(status) is not int or not 200 <= status <= 599:
            raise ValueError(f"status must be an integer from 200 to 599, not {status!r}")
        if status in _BODILESS and body is not None:
            raise ValueError(f"a response with status {status} has no body. Choose another status, such as 200")
        given = {name.lower(): value for name, value in (headers or {}).items() if name.lower() != "content-length"}
        for name, value in given.items():
            if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
                raise ValueError(f"the header {name!r} must be one line of Latin-1 text")
        plain = {"content-type": "text/plain;charset=UTF-8"} if isinstance(body, str) else {}
        object.__setattr__(self, "status", status)
        object.__setattr__(self, "body", body.encode() if isinstance(body, str) else body)
        object.__setattr__(self, "headers", plain | given)


def text_of(response: WebhookResponse, owner: str) -> str:
    """Text of a response for a store. The owner makes it unique to one handling."""
    fields: dict[str, object] = {"version": _VERSION, "status": response.status}
    if "content-type" in response.headers:
        fields["contentType"] = response.headers["content-type"]
    if response.body is not None and len(response.body) <= _LONGEST_STORED_BODY:
        fields["body"] = base64.b64encode(response.body).decode()
    return json.dumps({**fields, "owner": owner}, separators=(",", ":"), ensure_ascii=False)


def response_of(text: str | None) -> WebhookResponse:
    """The response of a text. A text of a later version is a `Rejection`, because its event was handled; any other text is a
    `TypeError`.
    """
    try:
        # Earlier versions wrote none.
        read = json.loads(text or "", parse_constant=reject_constant)
        if _integer(read.get("version", 0)) > _VERSION:
            message = "This version cannot read the stored response. Retry later."
            raise Rejection(message, "stored_response_unreadable", 503, {"retry-after": "1"})
        status = _integer(read["status"])
        body = base64.b64decode(read["body"], validate=True) if "body" in read else None
        headers = {"content-type": read["contentType"]} if "contentType" in read else {}
        return WebhookResponse(status, None if status in _BODILESS else body, headers)
    except Rejection:
        raise
    except Exception as error:
        raise TypeError("The event store returned a text that is not a stored response.") from error


def _integer(value: object) -> int:
    """JSON has one kind of number, so 204.0 is an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise TypeError(f"{value!r} is not an integer")
    return int(value)
