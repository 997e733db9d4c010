"""The clients: their options, the way of a request, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, Unpack, cast

from typing_extensions import TypeVar as TypeVarWithDefault

from ._auth import Auth, check_token
from ._call import Call, Search, Sent, Steps, prepare
from ._core import send
from ._duration import OnceAMinute
from ._errors import CallTransferError, ConfigurationError, InvalidArgumentError, OutcomeUnknownError, Reconciliation
from ._generated.operations import FINDERS, OPERATIONS
from ._generated.resources import AsyncResources, Resources
from ._operation import Explanation, ListSince, Operation, find_operation
from ._options import (
    DEFAULTS,
    NOT_GIVEN,
    REQUEST_RULES,
    RETRY_RULES,
    USER_AGENT,
    AsyncChanges,
    AsyncClientOptions,
    Changes,
    ClientOptions,
    RequestOptions,
    RetryPolicy,
    Settings,
    SystemClock,
    check,
    check_options,
    hide_secrets,
    is_async,
    known_options,
    named_options,
    read_variable,
    resolve_base_url,
)
from ._pagination import AsyncPages, Pages
from ._reconcile import explain, find_in_list
from ._redact import Hidden, Secret
from ._report import check_foreign, follow_log_level, interrupt
from ._results import OtherList, check_model, load, result_of
from ._retry import RetryBudgets

if TYPE_CHECKING:
    import asyncio

    from pydantic import BaseModel

    from ._drivers import AsyncDriver, Driver

DataT = TypeVar("DataT")
ModelT = TypeVarWithDefault("ModelT", bound="BaseModel", default=Any)


@dataclass(frozen=True, slots=True)
class ApiResponse(Generic[DataT]):
    """A successful response with its data."""

    data: DataT
    """The parsed JSON; None if the body is empty."""
    status: int
    """HTTP status."""
    headers: Mapping[str, str] = field(repr=False)
    """Response headers. Names are looked up in any case."""

    @property
    def request_id(self) -> str | None:
        """Request ID, for support."""
        return self.headers.get("x-request-id")


def same(sent: Sent) -> Sent:
    return sent


def response_of(sent: Sent) -> ApiResponse[Any]:
    return ApiResponse(sent.data, sent.status, sent.headers)  # type: ignore[arg-type]  # pyright: ignore


class _Base:
    """What both clients do without I/O."""

    _settings: Settings
    _http: Any
    _driver: Any
    _is_async = False

    def _open(self, options: dict[str, Any], parent: _Base | None) -> None:
        """Creates a client, or a copy of its parent."""
        given = {**DEFAULTS, **options}
        # Loaded here, so that an import of the package costs little, and no request waits for it.
        from ._drivers import AsyncDriver, Driver
        from ._pool import check_connection, open_async_client, open_client

        http_client, connection = given["http_client"], (given["proxy"], given["verify"], given["max_connections"])
        check_connection(*connection, http_client)
        self._configure(given, http_client, parent)
        self._is_copy = parent is not None
        open_own: Callable[..., Any] = open_async_client if self._is_async else open_client
        if http_client is None:
            self._http = parent._http if parent is not None else open_own(self._settings.base_url, *connection)
        else:
            self._http = http_client
        driver: Callable[..., Any] = AsyncDriver if self._is_async else Driver
        self._driver = driver(self._http, self._settings.auth, is_own=http_client is None)
        if parent is not None:
            self._driver.sleep = parent._driver.sleep
        self._open_resources(self)

    def _open_resources(self, client: Any) -> None:
        raise NotImplementedError

    def _configure(self, given: dict[str, Any], http_client: Any, parent: _Base | None) -> None:
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
        check(not is_async(on_retry), "on_retry", "must be a plain function: it is not awaited")
        is_fit = self._is_async or not is_async(given["access_token"])
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
        self._http_client = http_client
        if self._settings.logged_retries is None:
            self._settings.logged_retries = OnceAMinute(SystemClock.elapsed)
        load(OPERATIONS)
        follow_log_level()

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

    def _find(self, finder: Explanation | ListSince, options: Mapping[str, Any] | None, search: Search) -> Steps[Reconciliation[Any]]:
        """Looks for results as the caller that sent the request."""
        if isinstance(finder, Explanation):
            return explain(finder, search.window)
        operation = finder.operation
        own = {name: value for name, value in (options or {}).items() if name not in ("extra_body", "extra_query")}

        def page(query: Mapping[str, object]) -> Call:
            return prepare(self._settings, operation, query=query, options=own, deadline=search.end)

        return (yield from find_in_list(page, finder, search))

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


def _merged(client: _Base, changes: Changes | AsyncChanges) -> dict[str, Any]:
    hide_secrets(cast("dict[str, Any]", changes))
    for name in changes:
        if name not in Changes.__optional_keys__:
            raise ConfigurationError(name, "cannot be changed. Create a new client.")
    given = {**client._given, **changes, "http_client": client._http_client, "_parent": client}
    if changes.get("api_key") is not None or changes.get("access_token") is not None:
        given.update(api_key=changes.get("api_key"), access_token=changes.get("access_token"))
    old, new = client._given["retry"], changes.get("retry")
    if old and isinstance(new, dict):
        given["retry"] = {**old, **new}
    return given


class CallTransfer(Resources, _Base):
    """Client of the call-transfer API, for threads. It is safe to share.

    In docstrings, §4.2 is section 4.2 of the platform's specification, and §8.3 is rule 3 of its section 8.

    Example:
        client = CallTransfer()  # reads CALL_TRANSFER_API_KEY and CALL_TRANSFER_BASE_URL
        call = client.calls.create(flow_id=flow_id, from_number="+14155550100", to_number="+14155550123")

    """

    _driver: Driver

    @named_options(ClientOptions)
    def __init__(self, *, _parent: CallTransfer | None = None, **options: Unpack[ClientOptions]) -> None:
        """Creates a client. It needs a `base_url`, and an `api_key` or an `access_token`.

        Args:
            base_url: Base URL of the API without `/api/v1`, e.g. `https://api.example.com`; may have a path prefix. The environment
                variable `CALL_TRANSFER_BASE_URL` by default.
            api_key: API key (§5.1). The environment variable `CALL_TRANSFER_API_KEY` by default.
            access_token: JWT access token, or a function that returns one (§5.1). The time of the function counts only where it
                returns: nothing can interrupt it in a thread.
            account_id: Account that requests are for (§5.2).
            timeout: Seconds that one attempt may take, its body included; 60 by default (§8).
            total_timeout: Seconds that all attempts and waits of a request may take together; no limit by default.
            max_retries: Retries after the first attempt: an integer from 0; 2 by default (§8).
            retry: Which failures are retried, and after which wait (§8).
            headers: Additional headers. Credentials and the account have options of their own.
            on_retry: Called before the wait of every retry.
            show_phone_numbers: Shows phone numbers whole in errors and log messages, instead of `+1415*****67`.
            allow_insecure_http: Allows plain HTTP to other hosts than this machine, e.g. between containers.
            proxy: URL of a proxy, with its user name and password if it needs them; `""` for none. The environment variables
                `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` by default.
            verify: An `ssl.SSLContext`, or False to trust any certificate.
            max_connections: Most connections at a time.
            http_client: Sends the requests, instead of a client of its own. Its timeouts are httpx2's, for each read and write: a body
                that drips may then take longer than `timeout`. Its headers, its `auth` and its redirects are not used.

        Raises:
            ConfigurationError: An option is missing or invalid. The message never holds a secret.

        """
        self._open(known_options(cast("dict[str, Any]", options), DEFAULTS), _parent)

    def with_options(self, **changes: Unpack[Changes]) -> CallTransfer:
        """Returns a copy of this client with other options, e.g. for another account.

        It shares the connections and the retry budget of each account. A new `api_key` replaces an `access_token`, and the reverse.
        Fields of `retry` that are not given stay as they are.

        Args:
            changes: Any option of `CallTransfer`, but those of the connection.

        Raises:
            ConfigurationError: An option is invalid.

        """
        return CallTransfer(**_merged(self, changes))

    def _bind(self, error: OutcomeUnknownError, find: Callable[[int], Steps[Reconciliation]]) -> None:
        def reconcile(max_items: int) -> Reconciliation:
            self._check_usable()
            return self._driver.run(find(max_items))

        error._reconcile = reconcile

    def _run(self, call: Call, finish: Callable[[Sent], Any] = same) -> Any:
        """Sends a request, and returns what is made of its success."""
        self._check_usable()
        try:
            return finish(self._driver.run(send(call)))
        except CallTransferError as error:
            check_foreign(call, error)
            raise
        except BaseException as stop:
            interrupt(call, stop)
            raise

    def perform(self, operation: Operation, **parts: Any) -> Any:
        """Sends an operation, and returns its model. For the generated methods."""
        return self._run(self._call(operation, **parts), lambda sent: result_of(operation, sent.status, sent.data))

    def fetch(self, operation: Operation, **parts: Any) -> Sent:
        """Sends an operation, and returns its data. For lists."""
        sent: Sent = self._run(self._call(operation, **parts))
        return sent

    def request(
        self,
        method: str,
        path: str,
        *,
        model: type[ModelT] | None = None,
        path_params: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = NOT_GIVEN,
        options: RequestOptions | None = None,
    ) -> ApiResponse[ModelT]:
        """Sends a request to a path, such as `/api/v1/contacts/{id}` or `/api/v1/contacts/c-1?fields=name`.

        The path of an operation that this version knows is treated as that operation. Otherwise the method decides: GET, HEAD,
        OPTIONS, PUT and DELETE are retried like a read, any other method is not sent again once it may have been carried out.

        Args:
            method: HTTP method.
            path: Path, or its template. It must stay below `base_url`.
            model: A model of pydantic for the data, such as `Contact`. Without one, the data is the parsed JSON.
            path_params: Values for the template.
            query: Query parameters by name. Those that are None are left out.
            body: Sent as JSON. None is sent as null.
            options: Options of this request. They override the client's.

        Raises:
            ApiError: The API answered with an error.
            OutcomeUnknownError: An operation that is not idempotent may have been carried out.
            InvalidResponseError: The answer does not fit the model. A model that extends `ApiModel` keeps it, with `validation_error`.
            RequestError: There was no usable response. See its subclasses.
            ConfigurationError: An option is invalid. Nothing was sent.
            InvalidArgumentError: An argument is invalid, or the path leaves `base_url`. Nothing was sent.

        """
        call = self._requested(method, path, path_params, query, body, options, model)
        answer: ApiResponse[ModelT] = self._run(call, response_of)
        return answer

    def list(
        self,
        path: str,
        *,
        items_field: str,
        model: type[ModelT] | None = None,
        path_params: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        options: RequestOptions | None = None,
    ) -> Pages[dict[str, Any], ModelT]:
        """Reads a list that this version does not have a method for. It is requested when it is used.

        It must page by `limit` and `offset`, and each page must have its items in a field and the size of the list in `meta.total`,
        as the list of calls. Read any other list with `request()`. Retries and errors are those of a read.

        Args:
            path: Path, or its template. It must stay below `base_url`.
            items_field: Name of the field of a page that holds its items, such as `contacts`.
            model: A model of pydantic for an item, such as `Contact`. Without one, items are the parsed JSON, as pages are.
            path_params: Values for the template.
            query: Query parameters by name. `limit` is the size of a page, and `offset` is where the first page begins.
            options: Options of each request. They override the client's.

        Raises:
            ConfigurationError: An option is invalid. Nothing was sent.
            InvalidArgumentError: An argument is invalid, or the path leaves `base_url`. Nothing was sent.

        """
        listed, other = self._listed(path, items_field, model, path_params, query, options)
        return Pages(self, *listed, options=options, other=other)

    def close(self) -> None:
        """Closes the connections. A copy of a client, and a client with an `http_client`, close nothing."""
        if self._http_client is None and not self._is_copy:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()


class AsyncCallTransfer(AsyncResources, _Base):
    """Client of the call-transfer API, for asyncio. It belongs to one event loop.

    Example:
        async with AsyncCallTransfer() as client:
            call = await client.calls.create(flow_id=flow_id, from_number="+14155550100", to_number="+14155550123")

    """

    _driver: AsyncDriver
    _is_async = True

    @named_options(AsyncClientOptions)
    def __init__(self, *, _parent: AsyncCallTransfer | None = None, **options: Unpack[AsyncClientOptions]) -> None:
        """Creates a client for asyncio. The options are those of `CallTransfer`; `access_token` may be an async function.

        Raises:
            ConfigurationError: An option is missing or invalid. The message never holds a secret.

        """
        self._loops: list[asyncio.AbstractEventLoop] = [] if _parent is None else _parent._loops
        self._open(known_options(cast("dict[str, Any]", options), DEFAULTS), _parent)

    def with_options(self, **changes: Unpack[AsyncChanges]) -> AsyncCallTransfer:
        """Returns a copy of this client with other options. See `CallTransfer.with_options()`."""
        return AsyncCallTransfer(**_merged(self, changes))

    def _bind(self, error: OutcomeUnknownError, find: Callable[[int], Steps[Reconciliation]]) -> None:
        async def reconcile(max_items: int) -> Reconciliation:
            self._check_usable()
            return await self._driver.run(find(max_items))

        error._reconcile_async = reconcile

    def _check_usable(self) -> None:
        super()._check_usable()
        from asyncio import get_running_loop

        loop = get_running_loop()
        if not self._loops:
            self._loops.append(loop)
        elif self._loops[0] is not loop:
            raise ConfigurationError("client", "belongs to another event loop. Create one client for each loop.")

    async def _run(self, call: Call, finish: Callable[[Sent], Any] = same) -> Any:
        self._check_usable()
        try:
            return finish(await self._driver.run(send(call)))
        except CallTransferError as error:
            check_foreign(call, error)
            raise
        except BaseException as stop:
            interrupt(call, stop)
            raise

    async def perform(self, operation: Operation, **parts: Any) -> Any:
        """Sends an operation, and returns its model. For the generated methods."""
        return await self._run(self._call(operation, **parts), lambda sent: result_of(operation, sent.status, sent.data))

    async def fetch(self, operation: Operation, **parts: Any) -> Sent:
        """Sends an operation, and returns its data. For lists."""
        sent: Sent = await self._run(self._call(operation, **parts))
        return sent

    async def request(
        self,
        method: str,
        path: str,
        *,
        model: type[ModelT] | None = None,
        path_params: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = NOT_GIVEN,
        options: RequestOptions | None = None,
    ) -> ApiResponse[ModelT]:
        """Sends a request to a path. See `CallTransfer.request()`."""
        call = self._requested(method, path, path_params, query, body, options, model)
        answer: ApiResponse[ModelT] = await self._run(call, response_of)
        return answer

    def list(
        self,
        path: str,
        *,
        items_field: str,
        model: type[ModelT] | None = None,
        path_params: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncPages[dict[str, Any], ModelT]:
        """Reads a list that this version does not have a method for. See `CallTransfer.list()`."""
        listed, other = self._listed(path, items_field, model, path_params, query, options)
        return AsyncPages(self, *listed, options=options, other=other)

    async def aclose(self) -> None:
        """Closes the connections. A copy of a client, and a client with an `http_client`, close nothing."""
        if self._http_client is None and not self._is_copy:
            await self._settings.auth.aclose()
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        await self.aclose()
