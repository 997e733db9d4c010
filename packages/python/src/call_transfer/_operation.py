"""Operations, and the paths and queries of their requests. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal
from urllib.parse import quote, quote_plus

from ._errors import InvalidArgumentError
from ._redact import mask_numbers
from ._retry import Idempotency


@dataclass(frozen=True, slots=True)
class Operation:
    """How to send an operation."""

    operation_id: str
    """The operationId; for an operation that this version does not know, its method and path without the query."""
    method: str
    route: str
    """Path template."""
    idempotency: Idempotency
    """When to retry: always (`idempotent`), always since a taken name is rejected (`conflict_safe`), or only if it had no effect
    (`non_idempotent`)."""
    account_scoped: bool = False
    """Whether a JWT must come with an account ID (§5.2)."""
    success: Literal["object", "object or nothing"] | None = None
    """Body of a success. None for operations that this version does not know: any JSON or nothing."""
    result: Mapping[str, str] = field(default_factory=dict[str, str])
    """The field without which a success is unusable, by the body's `type` or by status."""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of the models of a success, by the body's `type` or by status."""
    is_open: bool = False
    """Whether a `type` tells its successes apart, so that a newer API may answer with another one."""


@dataclass(frozen=True, slots=True)
class ListSince:
    """Results are looked for in a list, from a time on."""

    operation: Operation
    since: str
    limit: int
    items: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """There is nothing to look in. The text may hold `{until}`."""

    text: str
    overlap_hours: float


_METHOD = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
# Methods whose repetition changes nothing (RFC 9110, section 9.2.2).
_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})


def find_operation(given_method: object, path: object, known: tuple[Operation, ...]) -> Operation:
    """Finds the operation of a method and a path: a template or one filled in, also with a query."""
    if not isinstance(given_method, str) or not _METHOD.fullmatch(given_method):
        raise InvalidArgumentError("method", "must be an HTTP method, such as GET")
    method = given_method.upper()
    for one in known:
        if one.method == method and one.route == path:
            return one
    route = check_path(path).split("?")[0]
    for one in known:
        if one.method == method and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one.route)), route):
            return one
    idempotency: Idempotency = "idempotent" if method in _IDEMPOTENT else "non_idempotent"
    return Operation(mask_numbers(f"{method} {route}"), method, route, idempotency)


# Values that cannot be a path segment: empty, `.` or `..`, also percent-encoded.
_NOT_A_SEGMENT = re.compile(r"(?:\.|%2e){0,2}", re.IGNORECASE)
# Control characters, and halves of surrogate pairs, which cannot be encoded.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Segments that a server resolves away. Some servers decode slashes first. A parameter behind `%` could complete such a code.
_DOT_SEGMENT = re.compile(r"(?:/|%2f|%5c)(?:\.|%2e){1,2}(?=/|%2f|%5c|$)|%.?\{", re.IGNORECASE)
_PLAIN = re.compile(r"/(?!/)[^\\#\s]*")
_PARAMETER = re.compile(r"\{(\w+)\}")


def check_path(path: object) -> str:
    """Checks a path that the caller wrote, also with a query: it must stay below the base URL, as the credential goes along."""
    is_plain = isinstance(path, str) and _PLAIN.fullmatch(path) and not _UNSAFE.search(path)
    if is_plain and not _DOT_SEGMENT.search(str(path).split("?")[0]):
        return str(path)
    raise InvalidArgumentError(
        "path",
        "must start with one /, such as /api/v1/roles, and must not have . or .. segments, spaces, \\, # or control characters",
    )


def _encode(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError(name, f"must be a string, not {type(value).__name__}")
    if _NOT_A_SEGMENT.fullmatch(value) or _UNSAFE.search(value):
        problem = "must not be empty, . or .., nor contain control characters or lone surrogates"
        raise InvalidArgumentError(name, problem)
    return quote(value, safe="!~*'()")


def expand_path(template: str, parameters: Mapping[str, object]) -> str:
    """Puts path parameters into a template, percent-encoded. One that is no segment of a path is rejected."""
    if "{" not in template:
        return template
    return _PARAMETER.sub(lambda match: _encode(match[1], parameters.get(match[1])), template)


def iso_hint(value: object) -> str:
    """What to pass instead of a time or a day. The API takes no time without a zone."""
    if isinstance(value, datetime):
        return "For a time, pass its value.astimezone(timezone.utc).isoformat()"
    return 'For a day, pass a time, such as f"{day}T00:00:00Z"'


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else float.__repr__(value)
    if isinstance(value, (str, int)):
        if isinstance(value, str) and _UNSAFE.search(value.replace("\t", "").replace("\n", "").replace("\r", "")):
            # Control characters are encoded; half a surrogate pair cannot be.
            value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            # As the base type, since an enumeration's text is its name.
            return str.__str__(value) if isinstance(value, str) else int.__repr__(value)
        except ValueError:
            raise InvalidArgumentError(name, "must have fewer digits") from None
    hint = f" {iso_hint(value)}." if isinstance(value, date) else ""
    raise InvalidArgumentError(name, f"must be a string, number or boolean, not {type(value).__name__}.{hint}")


def serialize_query(query: Mapping[str, object]) -> str:
    """Serializes query parameters, without those that are None."""
    pairs = [(name, _text(name, value)) for name, value in query.items() if value is not None]
    # As URLSearchParams does, so that both clients ask for the same address.
    return "&".join("=".join(quote_plus(part, safe="*").replace("~", "%7E") for part in pair) for pair in pairs)
