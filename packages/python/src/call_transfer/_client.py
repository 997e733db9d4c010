"""The clients without their operations: the way of a request, and its result."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from typing_extensions import TypeVar as TypeVarWithDefault

from ._auth import AccessTokenFunction, AsyncAccessTokenFunction
from ._base import _Base
from ._call import Call, Sent, Steps
from ._core import send
from ._errors import CallTransferError, ConfigurationError, OutcomeUnknownError, Reconciliation
from ._operation import Operation
from ._options import NOT_GIVEN, RequestOptions, RetryEvent, RetryOptions, known_options
from ._pagination import AsyncPages, Pages
from ._report import check_foreign, interrupt
from ._results import result_of

if TYPE_CHECKING:
    import asyncio

    import httpx2
    from pydantic import BaseModel

    from ._redact import Secret

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


class Core(_Base):
    """A client without its operations."""

    @known_options
    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        access_token: str | AccessTokenFunction | None = None,
        account_id: str | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
        max_retries: int | None = None,
        retry: RetryOptions | None = None,
        headers: Mapping[str, str] | None = None,
        on_retry: Callable[[RetryEvent], object] | None = None,
        show_phone_numbers: bool = False,
        allow_insecure_http: bool = False,
        proxy: str | None = None,
        verify: ssl.SSLContext | bool = True,
        max_connections: int = 100,
        http_client: httpx2.Client | None = None,
        _parent: Core | None = None,
    ) -> None:
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
        given = {
            "base_url": base_url,
            "api_key": api_key,
            "access_token": access_token,
            "account_id": account_id,
            "timeout": timeout,
            "total_timeout": total_timeout,
            "max_retries": max_retries,
            "retry": retry,
            "headers": headers,
            "on_retry": on_retry,
            "show_phone_numbers": show_phone_numbers,
            "allow_insecure_http": allow_insecure_http,
        }
        from ._drivers import Driver
        from ._pool import check_connection, open_client

        connection = (cast("Secret | None", proxy), verify, max_connections)
        check_connection(*connection, http_client)
        self._configure(given, http_client, _parent, connection)
        self._is_copy = _parent is not None
        if http_client is not None:
            self._http = http_client
        elif _parent is not None:
            self._http = _parent._http
        else:
            self._http = open_client(self._settings.base_url, *connection)
        self._driver = Driver(self._http, self._settings.auth, is_own=http_client is None)
        self._open_resources()

    def _open_resources(self) -> None:
        """Creates the resources of a client that has them."""

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


class AsyncCore(_Base):
    """An async client without its operations. It belongs to one event loop."""

    _is_async = True

    @known_options
    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        access_token: str | AsyncAccessTokenFunction | None = None,
        account_id: str | None = None,
        timeout: float | None = None,
        total_timeout: float | None = None,
        max_retries: int | None = None,
        retry: RetryOptions | None = None,
        headers: Mapping[str, str] | None = None,
        on_retry: Callable[[RetryEvent], object] | None = None,
        show_phone_numbers: bool = False,
        allow_insecure_http: bool = False,
        proxy: str | None = None,
        verify: ssl.SSLContext | bool = True,
        max_connections: int = 100,
        http_client: httpx2.AsyncClient | None = None,
        _parent: AsyncCore | None = None,
    ) -> None:
        """Creates a client for asyncio. The options are those of `CallTransfer`; `access_token` may be an async function.

        Raises:
            ConfigurationError: An option is missing or invalid. The message never holds a secret.

        """
        given = {
            "base_url": base_url,
            "api_key": api_key,
            "access_token": access_token,
            "account_id": account_id,
            "timeout": timeout,
            "total_timeout": total_timeout,
            "max_retries": max_retries,
            "retry": retry,
            "headers": headers,
            "on_retry": on_retry,
            "show_phone_numbers": show_phone_numbers,
            "allow_insecure_http": allow_insecure_http,
        }
        from ._drivers import AsyncDriver
        from ._pool import check_connection, open_async_client

        connection = (cast("Secret | None", proxy), verify, max_connections)
        check_connection(*connection, http_client)
        self._configure(given, http_client, _parent, connection)
        self._is_copy = _parent is not None
        if http_client is not None:
            self._http = http_client
        elif _parent is not None:
            self._http = _parent._http
        else:
            self._http = open_async_client(self._settings.base_url, *connection)
        self._driver = AsyncDriver(self._http, self._settings.auth, is_own=http_client is None)
        self._loops: list[asyncio.AbstractEventLoop] = [] if _parent is None else _parent._loops
        self._open_resources()

    def _open_resources(self) -> None:
        """Creates the resources of a client that has them."""

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


__all__ = ["ApiResponse", "AsyncCore", "Core"]
