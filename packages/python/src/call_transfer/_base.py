"""What both clients do without I/O: options, the parts of a request, and how to look for its result."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ._auth import Auth, check_token
from ._call import Call, Steps, prepare
from ._duration import OnceAMinute
from ._errors import ConfigurationError, InvalidArgumentError, OutcomeUnknownError, OutcomeWindow, Reconciliation
from ._generated.operations import FINDERS, OPERATIONS
from ._operation import Explanation, ListSince, Operation, find_operation
from ._options import (
    NOT_GIVEN,
    REQUEST_RULES,
    RETRY_RULES,
    USER_AGENT,
    RetryPolicy,
    Settings,
    SystemClock,
    check,
    check_options,
    read_variable,
    resolve_base_url,
)
from ._reconcile import explain, find_in_list
from ._redact import Hidden, Secret
from ._results import OtherList, check_model, load
from ._retry import RetryBudgets


class _LastHandler(logging.StreamHandler[Any]):
    """Prints what no handler of the program's prints, also one that is added later."""

    def emit(self, record: logging.LogRecord) -> None:
        one: logging.Logger | None = logging.getLogger("call_transfer")
        while one is not None:
            if any(handler is not self for handler in one.handlers):
                return
            one = one.parent if one.propagate else None
        super().emit(record)


def _log_level() -> None:
    """Follows the environment variable CALL_TRANSFER_LOG, where the program has set no level of its own."""
    level, logger = read_variable("CALL_TRANSFER_LOG"), logging.getLogger("call_transfer")
    if level is None:
        return
    levels = {"debug": 10, "info": 20, "warn": 30, "error": 40, "off": 100}
    check(level in levels, "CALL_TRANSFER_LOG", f"must be one of {', '.join(levels)}")
    if logger.level == logging.NOTSET:
        logger.setLevel(levels[level])
    if not logger.hasHandlers() and level != "off":
        logger.addHandler(_LastHandler())


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


class _Base:
    """What both clients do without I/O."""

    _settings: Settings
    _http: Any
    _is_async = False

    def _configure(self, given: dict[str, Any], http_client: Any, parent: _Base | None, connection: tuple[Any, ...]) -> None:
        # Loaded here, so that an import of the package costs little, and no request waits for it.
        import httpx2

        kind = httpx2.AsyncClient if self._is_async else httpx2.Client
        check(http_client is None or isinstance(http_client, kind), "http_client", f"must be an httpx2.{kind.__name__}")
        rest = {name: value for name, value in given.items() if name in REQUEST_RULES and name != "retry"}
        check_options(rest, REQUEST_RULES)
        old = None if parent is None else parent._settings
        retry = RetryPolicy(**check_options({} if given["retry"] is None else given["retry"], RETRY_RULES, "retry."))
        for name in ("allow_insecure_http", "show_phone_numbers"):
            check(isinstance(given[name], bool), name, f"must be True or False, not {type(given[name]).__name__}")
        base_url = resolve_base_url(given["base_url"], allow_insecure_http=given["allow_insecure_http"])
        on_retry = given["on_retry"]
        check(on_retry is None or callable(on_retry), "on_retry", "must be a function")
        check(not _is_async(on_retry), "on_retry", "must be a plain function: it is not awaited")
        is_fit = self._is_async or not _is_async(given["access_token"])
        check(is_fit, "access_token", "must be a plain function. Async ones need AsyncCallTransfer.")
        same = old is not None and old.base_url == base_url
        self._settings = Settings(
            base_url=base_url,
            auth=self._resolve_auth(given, None if old is None else old.auth),
            account_id=given["account_id"],
            total_timeout=given["total_timeout"],
            retry=retry,
            headers=self._headers(given.get("headers") or {}),
            on_retry=on_retry,
            show_phone_numbers=given["show_phone_numbers"],
        )
        if given["timeout"] is not None:
            self._settings.timeout = float(given["timeout"])
        if given["max_retries"] is not None:
            self._settings.max_retries = given["max_retries"]
        if old is not None:
            self._settings.budgets = old.budgets
            self._settings.logged_deprecations = old.logged_deprecations
            self._settings.logged_retries = old.logged_retries
            self._settings.clock, self._settings.random = old.clock, old.random
            if same:
                self._settings.server_time = old.server_time
        if not retry.budget:
            self._settings.budgets = None
        elif self._settings.budgets is None:
            self._settings.budgets = RetryBudgets()
        self._given = given
        self._connection = connection
        self._http_client = http_client
        if self._settings.logged_retries is None:
            self._settings.logged_retries = OnceAMinute(SystemClock.elapsed)
        load(OPERATIONS)
        _log_level()

    def _check_usable(self) -> None:
        """Raises a `ConfigurationError` if the client cannot send here."""
        from ._drivers import check_process

        if self._http.is_closed:
            raise ConfigurationError("client", "was closed. Create a new one.")
        if self._http_client is not None:
            check_process(self._http_client)

    @staticmethod
    def _headers(own: Mapping[str, str]) -> Hidden:
        fixed = {"user-agent": USER_AGENT, "accept": "application/json", "accept-encoding": "gzip"}
        return Hidden({**fixed, **{name.lower(): text for name, text in own.items()}})

    @staticmethod
    def _resolve_auth(given: dict[str, Any], parent: Auth | None) -> Auth:
        api_key, token = given["api_key"], given["access_token"]
        check(api_key is None or token is None, "access_token", "and api_key cannot be combined. Pass one.")
        if token is not None:
            if isinstance(token, Secret):
                check_token(token)
            return parent if parent and parent.is_from("access_token", token) else Auth("access_token", token)
        if api_key is None:
            api_key = Secret(read_variable("CALL_TRANSFER_API_KEY"))
            problem = "or access_token is required. Pass one, or set CALL_TRANSFER_API_KEY."
            check(api_key.reveal() is not None, "api_key", problem)
        checked = check_token(api_key, "api_key")
        return parent if parent and parent.is_from("api_key", checked) else Auth("api_key", checked)

    def _call(self, operation: Operation, **parts: Any) -> Call:
        call = prepare(self._settings, operation, **parts)
        finder = FINDERS.get(operation.operation_id)
        if finder is not None:
            call.find = partial(self._find, finder, parts.get("options"))
        call.bind = self._bind
        return call

    def _find(
        self,
        finder: Explanation | ListSince,
        options: Mapping[str, Any] | None,
        call: Call,
        window: OutcomeWindow,
        body: bytes | None,
        max_items: int,
        end: float | None,
    ) -> Steps[Reconciliation[Any]]:
        """Looks for results as the caller that sent the request."""
        if isinstance(finder, Explanation):
            return explain(finder, window)
        own = {name: value for name, value in (options or {}).items() if name not in ("extra_body", "extra_query")}

        def prepare_page(_: Call, source: ListSince, query: Mapping[str, object], deadline: float | None) -> Call:
            return prepare(self._settings, source.operation, query=query, options=own, deadline=deadline)

        return (yield from find_in_list(prepare_page, finder, call, window, body, max_items, end))

    def _bind(self, error: OutcomeUnknownError, find: Callable[[int], Steps[Reconciliation]]) -> None:
        raise NotImplementedError

    def _requested(
        self, method: str, path: str, path_params: Mapping[str, str] | None, query: Any, body: Any, options: Any, model: Any
    ) -> Call:
        operation = find_operation(method, path, OPERATIONS)
        names = query if isinstance(query, Mapping) else (query,) if query is not None else ()
        if not all(isinstance(name, str) for name in names) or isinstance(query, str):
            raise InvalidArgumentError("query", "must be a dict of names and values")
        if model is not None:
            check_model(model)
        call = self._call(operation, route=path, path=path_params, query=query, body=body, options=options)
        call.model = model
        return call

    def _listed(
        self, path: str, items_field: str, model: Any, path_params: Mapping[str, str] | None, query: Any, options: Any
    ) -> tuple[Any, ...]:
        """Returns the arguments of a list of a path, checked as far as they can be before it is read."""
        call = self._requested("GET", path, path_params, query, NOT_GIVEN, options, model)
        if not isinstance(items_field, str) or not items_field:
            raise InvalidArgumentError("items_field", "must be the name of the field that holds the items of a page")
        return (call.operation, items_field, query or {}), OtherList(path, path_params, model)
