"""Builds a call from the input of a request, its options and the client's settings. Without I/O."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from ._call import Call
from ._errors import ConfigurationError, InvalidArgumentError
from ._interrupt import let_through
from ._operation import Operation
from ._options import (
    NOT_GIVEN,
    REQUEST_RETRY_RULES,
    REQUEST_RULES,
    Settings,
    check_options,
)
from ._paths import expand_path, iso_hint, serialize_query
from ._redact import Hidden


def _to_json(body: object) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        let_through(error)
        raise InvalidArgumentError("body", f"must be JSON: {error}") from None


def _plain(value: Any) -> object:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    hint = f". {iso_hint(value)}" if isinstance(value, date) else ""
    raise TypeError(f"a {type(value).__name__} has no form in JSON{hint}")


def _given(fields: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if fields is None else {name: value for name, value in fields.items() if value is not NOT_GIVEN}


def prepare(
    settings: Settings,
    operation: Operation,
    *,
    path: Mapping[str, object] | None = None,
    route: str | None = None,
    query: Mapping[str, object] | None = None,
    body: object = NOT_GIVEN,
    options: object = None,
    deadline: float | None = None,
) -> Call:
    """Combines the options of a request with the client's settings, and checks them."""
    given = {} if options is None else check_options(options, REQUEST_RULES)
    policy = settings.retry
    if "retry" in given:
        policy = replace(policy, **check_options(given["retry"], REQUEST_RETRY_RULES, "retry."))
    account_id: str | None = given.get("account_id", settings.account_id)
    if operation.account_scoped and account_id is None and settings.auth.kind == "access_token":
        raise ConfigurationError("account_id", f"is required for {operation.operation_id} with an access token")
    fields = _given(query)
    extra_query, extra_body = given.get("extra_query"), given.get("extra_body")
    if extra_query:
        fields = {**extra_query, **{name: value for name, value in (fields or {}).items() if value is not None}}
    target = expand_path(operation.route if route is None else route, path or {})
    search = serialize_query(fields) if fields else ""
    if search:
        target = f"{target}{'&' if '?' in target else '?'}{search}"
    headers = Hidden({**settings.headers, **{name.lower(): text for name, text in given.get("headers", {}).items()}})
    if account_id is not None:
        headers["x-account-id"] = account_id
    content = None
    if body is not NOT_GIVEN or extra_body:
        if isinstance(body, Mapping):
            body = _given(body)
        if extra_body:
            if not isinstance(body, dict):
                problem = f"requires a body that is an object, in {operation.operation_id}"
                raise ConfigurationError("extra_body", problem)
            body = {**extra_body, **body}
        content = _to_json(body)
        headers.setdefault("content-type", "application/json")
    begun = settings.moment()
    total = given.get("total_timeout", settings.total_timeout)
    ends = [end for end in (deadline, None if total is None else begun.elapsed + total) if end is not None]
    return Call(
        operation=operation,
        settings=settings,
        url=settings.base_url + target,
        headers=headers,
        body=content,
        timeout=given.get("timeout", settings.timeout),
        retry=policy,
        account_id=account_id,
        context=given.get("context"),
        deadline=min(ends, default=None),
        begun=begun,
        answer_before=settings.server_time.newest,
        budget=None if settings.budgets is None else settings.budgets.of(account_id),
    )
