"""What an attempt changed on the server, as far as its response or its error tells. Pure functions."""

from __future__ import annotations

from ._errors import Outcome
from ._generated.codes import EFFECT_FREE_CODES

_BY_CERTAINTY: tuple[Outcome, ...] = ("not_sent", "rejected", "unknown", "applied")

UNSENT_ERRORS = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})
"""Errors of httpx2 and httpcore2 from before a connection exists. For clients that do not report what they sent."""


def combine(one: Outcome, other: Outcome) -> Outcome:
    """Combines the outcomes of two attempts. `unknown` stays: a later refusal says nothing about an earlier attempt."""
    return one if _BY_CERTAINTY.index(one) > _BY_CERTAINTY.index(other) else other


def is_effect_free(status: int | None, code: str | None) -> bool:
    """Returns whether a response is a 503 that had no effect, if assumption A-28 is right."""
    return status == 503 and code in EFFECT_FREE_CODES


def media_type(content_type: str | None) -> str:
    """Returns the media type of a response, without parameters."""
    return (content_type or "").split(";")[0].strip().lower()


def is_json_type(kind: str) -> bool:
    """Returns whether a media type is JSON."""
    main, _, sub = kind.partition("/")
    return main != "" and "/" not in main and (sub == "json" or (sub.endswith("+json") and sub != "+json"))


def outcome_of_response(status: int, code: str | None, content_type: str | None, *, trust_503_codes: bool) -> Outcome:
    """Returns the effect of an attempt by its response."""
    if 200 <= status < 300:
        kind = media_type(content_type)
        # A success that is not JSON does not come from the API. JSON without a label often gets plain text.
        return "applied" if kind in ("", "application/json", "text/plain") or is_json_type(kind) else "unknown"
    if trust_503_codes and is_effect_free(status, code):
        return "rejected"
    return "rejected" if 300 <= status < 500 and status != 408 else "unknown"


def proves_unsent(error: BaseException) -> bool:
    """Returns whether an error of a client proves that no byte of the request was sent."""
    return type(error).__name__ in UNSENT_ERRORS and type(error).__module__.split(".")[0] in ("httpx2", "httpcore2")
