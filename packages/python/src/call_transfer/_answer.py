"""The body of a response up to a limit, and the result of an attempt, by what came of its sending. Without I/O."""

from __future__ import annotations

import codecs
import zlib
from typing import Any

from ._call import Call, Failure, Lost, Received, Result
from ._errors import Attempt, AttemptErrorCode, ConnectionError, InvalidResponseError, RequestError, TimeoutError
from ._json import is_deep, is_object, parse_json, parse_object
from ._operation import Operation
from ._outcome import is_json_type, media_type, outcome_of_response
from ._redact import excerpt
from ._report import log_deprecation
from ._results import Misfit, read_into
from ._retry import retry_hint

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_ERROR_BODY_BYTES = 64 * 1024


class UnknownEncoding(Exception):
    """The body has a content encoding that was not asked for."""


class BodyReader:
    """Takes the bytes of a body as they arrive."""

    def __init__(self, status: int, encoding: str | None) -> None:
        self.limit = MAX_BODY_BYTES if 200 <= status < 300 else MAX_ERROR_BODY_BYTES
        self.is_cut = status >= 300 or status < 200
        """Whether what exceeds the limit is left out, as opposed to being an error."""
        self._chunks: list[bytes] = []
        self._size = 0
        self._inflate = None
        self._encoding = (encoding or "identity").strip().lower()
        if self._encoding in ("gzip", "x-gzip", "deflate"):
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def add(self, chunk: bytes) -> bool:
        """Takes in a chunk. Returns False if the body exceeds its limit."""
        room = self.limit - self._size
        if self._inflate is not None:
            try:
                chunk = self._inflate.decompress(chunk, room + 1)
            except zlib.error as error:
                raise UnknownEncoding("the body cannot be decompressed") from error
        elif self._encoding not in ("identity", ""):
            raise UnknownEncoding(f"the body is encoded as {self._encoding[:20]}")
        self._chunks.append(chunk[:room])
        self._size += min(len(chunk), room)
        return len(chunk) <= room

    def text(self, *, is_complete: bool) -> str | None:
        """Returns it as text, without half a character at its end unless it is complete. None for an empty body."""
        if not self._chunks:
            return None
        data = b"".join(self._chunks)
        if is_complete:
            return data.decode("utf-8-sig", "replace")
        return codecs.getincrementaldecoder("utf-8-sig")("replace").decode(data)


class TransportError(Exception):
    """A copy of the error of the transport, in words alone: the original refers to the request with its headers."""


def timed_out(limit: float, result: Result, waiting_for: str = "") -> Result:
    hung = f": {waiting_for} has not returned" if waiting_for else ""
    result.failure = Failure(TimeoutError, f"got no complete response within {limit:g} s{hung}")
    result.interrupted = True
    return result


def read_answer(call: Call, attempt: Attempt, received: Received, limit: float) -> Result:
    """Turns what came of one sending into the result of the attempt."""
    settings, headers, status = call.settings, received.headers, received.status
    if status is None:
        result = Result("unknown" if received.sent else "not_sent", attempt)
        return _lost(call, result, received, limit)
    attempt.status = status
    request_id = headers.get("x-request-id")
    if request_id:
        attempt.request_id = call.clean(request_id)
    content_type = headers.get("content-type")
    settings.server_time.note(headers.get("date"), settings.moment())
    if "deprecation" in headers or "sunset" in headers:  # type: ignore[operator]
        log_deprecation(call, headers)
    trust = call.retry.trust_503_codes
    outcome = outcome_of_response(status, None, content_type, trust_503_codes=trust)
    result = Result(outcome, attempt, status=status, headers=headers, text=received.text)
    if 200 <= status < 300:
        return _lost(call, result, received, limit) if received.lost else _success(call, result)
    text = None if received.text is None else call.clean(received.text)
    body = parse_object(text)
    result.body = None if is_deep(body) else body
    code = (result.body or {}).get("code")
    result.code = attempt.code = code if isinstance(code, str) else None
    body_id = (result.body or {}).get("requestId")
    if attempt.request_id is None and isinstance(body_id, str):
        attempt.request_id = body_id
    result.body_text = text or None if result.body is None else None
    result.outcome = outcome_of_response(status, result.code, content_type, trust_503_codes=trust)
    meta = (result.body or {}).get("meta")
    result.hint = retry_hint(meta, headers.get("retry-after"), headers.get("date"), settings.clock.now())
    return _lost(call, result, received, limit) if received.lost else result


def _lost(call: Call, result: Result, received: Received, limit: float) -> Result:
    """Result of an attempt whose response did not arrive, or not to its end."""
    attempt = result.attempt
    assert attempt is not None  # noqa: S101
    reasons: dict[Lost | None, AttemptErrorCode] = {"timeout": "timeout", "too_large": "body_too_large"}
    attempt.error = reasons.get(received.lost, "connection_lost" if received.status else "connection_failed")
    result.text = received.text
    if received.lost == "timeout":
        return timed_out(limit, result)
    if received.lost == "hook_raised":
        attempt.error = "callback_failed"
        reason = excerpt(call.clean(str(received.error) or type(received.error).__name__))
        result.failure = Failure(RequestError, f"failed: an event hook of http_client raised: {reason}", received.error)
        result.final = True
        return result
    if received.lost == "too_large":
        message = f"answered {result.status} with a body larger than {received.error}"
        result.failure = Failure(InvalidResponseError, message)
        return result
    reason = excerpt(call.clean(str(received.error) or type(received.error).__name__))
    if received.status:
        what = f"lost the connection in the body of its {received.status} response"
    elif result.outcome == "not_sent":
        again = "" if call.outcome == "not_sent" else " again"
        what = f"was not sent{again} to {call.settings.base_url}"
    else:
        what = "could not be sent or lost its connection"
    result.failure = Failure(ConnectionError, f"{what}: {reason}", _cause_of(call, received.error))
    result.interrupted = True
    return result


def _cause_of(call: Call, error: BaseException | None) -> TransportError | None:
    if error is None:
        return None
    words = [f"{type(one).__module__.split('.')[0]}.{type(one).__name__}: {one}" for one in _chain(error)]
    return TransportError(excerpt(call.clean("; ".join(words)), 2000))


def _chain(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (inner := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 5 and inner not in chain:
        chain.append(inner)
    return chain


def _success(call: Call, result: Result) -> Result:
    """Result of a success: its data, or why its body is unusable."""
    expected, text = call.operation.success, result.text
    if expected != "object" and not text:
        return result if call.model is None else _invalid(result, f"an empty body that does not fit {call.model.__name__}")
    value = parse_json(text)
    is_null = value is None and (text or "").strip() == "null"
    if is_object(value) if expected else value is not None or is_null:
        missing = _missing_field(call.operation, result.status, value)
        if missing:
            return _invalid(result, f"a body without {missing}")
        return _with_data(call, result, value)
    kind = media_type(result.headers.get("content-type"))
    start = (text or "").lstrip()
    # Truncated JSON comes from the API. Anything else may come from a login page or a wrong address.
    looks_broken = not start.startswith("<") if is_json_type(kind) else start.startswith("{")
    if value is None and not is_null and looks_broken:
        return _invalid(result, "invalid or truncated JSON")
    what = excerpt(call.clean(kind or "no content type"), 60) if text else "empty"
    if result.outcome == "applied":
        result.outcome = "unknown"
    wanted = "a JSON object" if expected else "JSON"
    return _invalid(result, f"a body that is not {wanted} ({what}): check base_url and proxies")


def _with_data(call: Call, result: Result, value: Any) -> Result:
    """Result of a success with its data, in the caller's model if there is one."""
    try:
        result.data = value if call.model is None else read_into(call.model, value)
    except Misfit as misfit:
        return _invalid(result, f"a body that does not fit {excerpt(call.clean(str(misfit)))}")
    return result


def _missing_field(operation: Operation, status: int | None, data: Any) -> str | None:
    """The field that a success is unusable without, if it is missing."""
    if not operation.result or not is_object(data):
        return None
    by_type = any(not key.isdigit() for key in operation.result)
    own = data.get("type")
    if by_type and not isinstance(own, str):
        return "type"
    needed = operation.result.get(str(own) if by_type else str(status))
    return needed if needed is not None and not data.get(needed) else None


def _invalid(result: Result, problem: str) -> Result:
    result.failure = Failure(InvalidResponseError, f"answered {result.status} with {problem}")
    return result
