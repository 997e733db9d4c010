"""Turns an error of the client into a response of your own API."""

import math
from typing import NamedTuple

from call_transfer import (
    ApiError,
    RateLimitError,
    Reconciliation,
    RequestError,
    TimeoutError,
)

# The statuses of the API that concern your caller. 401 and 403, for example,
# concern the credentials of your server.
FOR_CALLERS = (400, 404, 409, 410, 422)


class Answer(NamedTuple):
    status: int
    body: dict[str, object]
    headers: dict[str, str]


def error_response(error: RequestError, found: Reconciliation | None) -> Answer:
    """Returns what your caller may see of an error.

    Of an OutcomeUnknownError, it takes what reconciling found. Log the error
    itself: its message names the request for support.
    """
    body: dict[str, object]
    if found is not None:
        # The phone may be ringing. Not a 5xx, after which proxies and clients
        # send a request again by themselves. The candidates may be calls of
        # your other callers, so this one gets only their number.
        code, count = "outcome_unknown", len(found.candidates)
        body = {"code": code, "message": found.explanation, "candidates": count}
        return Answer(409, body, {})
    if isinstance(error, RateLimitError):
        wait = 60 if error.retry_after is None else math.ceil(error.retry_after)
        return Answer(429, {"code": error.code}, {"Retry-After": str(wait)})
    if isinstance(error, ApiError) and error.status in FOR_CALLERS:
        fields = [one.model_dump() for one in error.errors or []]
        body = {"code": error.code, "message": error.detail, "errors": fields}
        return Answer(error.status, body, {})
    status = 504 if isinstance(error, TimeoutError) else 502
    return Answer(status, {"code": "upstream_failed"}, {})
