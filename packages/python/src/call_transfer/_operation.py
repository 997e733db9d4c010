"""What an operation is: how it is sent, what its success holds, and how its results are found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ._errors import InvalidArgumentError
from ._paths import check_path
from ._redact import mask_numbers
from ._retry import RetryClass


@dataclass(frozen=True, slots=True)
class Operation:
    """How to send an operation."""

    operation_id: str
    """The operationId; for an operation that this version does not know, its method and path without the query."""
    method: str
    route: str
    """Path template."""
    retry: RetryClass
    """When to retry: always (`safe`), always since a taken name is refused (`unique`), or only if it had no effect (`once`)."""
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
    retry: RetryClass = "safe" if method in _IDEMPOTENT else "once"
    return Operation(mask_numbers(f"{method} {route}"), method, route, retry)
