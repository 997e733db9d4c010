"""Options of clients and requests, their checks and their defaults."""

from __future__ import annotations

import inspect
import os
import random
import re
import sys
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypedDict, TypeVar
from urllib.parse import urlsplit

from ._duration import OnceAMinute
from ._errors import Attempt, ConfigurationError
from ._generated.operations import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT
from ._generated.version import CONTRACT_VERSION, VERSION
from ._outcome import Moment, ServerTime
from ._redact import Hidden, Secret
from ._retry import MAX_SECONDS, RetryBudgets

if TYPE_CHECKING:
    import ssl

    import httpx2

    from ._auth import AccessTokenFunction, AsyncAccessTokenFunction, Auth


T = TypeVar("T")


class NotGiven(Enum):
    """Type of `NOT_GIVEN`."""

    NOT_GIVEN = "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""A parameter that is not sent. `None` is sent as null."""


class RequestRetryOptions(TypedDict, total=False):
    """Retry policy of one request."""

    max_retry_after: float
    """Longest wait, in seconds, that a server may request before a retry; 60 by default. If it asks for more, the request fails at
    once."""
    on_unknown_outcome: Literal["raise", "check", "retry"]
    """What happens after the response to an operation that is not idempotent was lost (§8.3).

    - `raise` (the default) raises `OutcomeUnknownError`.
    - `check` reads the list first and sends the request again if it is empty. It may still place a call twice: a list may lag behind,
      and queued calls may not be listed.
    - `retry` may place a call twice: it sends the request again without looking.
    """


class RetryOptions(RequestRetryOptions, total=False):
    """Retry policy of a client. A request can override the fields of `RequestRetryOptions`."""

    trust_503_codes: bool
    """Whether to trust that a 503 with the code `no_bots_available`, `region_saturated` or `service_unavailable` had no effect, so
    that a call placement is retried after it; False by default. The specification does not say so: it is assumption A-28."""
    budget: bool
    """Whether all requests of the client for the same account share a budget of retries, which limits load in an outage; True by
    default."""


class RequestOptions(TypedDict, total=False):
    """Options of one request. They override the client's."""

    timeout: float
    """Seconds that one attempt may take, its body included; 60 by default (§8)."""
    total_timeout: float
    """Seconds that all attempts and waits may take together; no limit by default."""
    max_retries: int
    """Retries after the first attempt: an integer from 0; 2 by default (§8)."""
    retry: RequestRetryOptions
    """Which failures are retried, and after which wait (§8). Each field overrides the client's."""
    headers: Mapping[str, str]
    """Additional headers. Credentials and the account have options of their own."""
    account_id: str
    """Account that the request is for (§5.2)."""
    extra_body: Mapping[str, object]
    """Body fields that this version does not have, by their names in JSON. Fields of the body itself win over them."""
    extra_query: Mapping[str, object]
    """Query parameters that this version does not have. Parameters of the query itself win over them."""
    context: Mapping[str, object]
    """Custom data for errors and `on_retry`, e.g. `{"job_id": 7}`. Never sent."""


@dataclass(frozen=True, slots=True)
class RetryEvent:
    """An upcoming retry, reported before its wait."""

    operation_id: str
    """The operation, e.g. `createCall`."""
    attempt: Attempt
    """The attempt that failed. Its `delay` is the upcoming wait."""
    next_attempt_number: int
    """Number of the next attempt, from 2."""
    context: Mapping[str, object] | None
    """The request's option `context`."""


class _Options(TypedDict, total=False):
    """Options that both clients have, and that a copy of a client may change. `CallTransfer` describes them."""

    base_url: str | None
    api_key: str | None
    account_id: str | None
    timeout: float | None
    total_timeout: float | None
    max_retries: int | None
    retry: RetryOptions | None
    headers: Mapping[str, str] | None
    on_retry: Callable[[RetryEvent], object] | None
    show_phone_numbers: bool
    allow_insecure_http: bool


class _Connection(TypedDict, total=False):
    proxy: str | None
    verify: ssl.SSLContext | bool
    max_connections: int


class Changes(_Options, total=False):
    access_token: str | AccessTokenFunction | None


class AsyncChanges(_Options, total=False):
    access_token: str | AsyncAccessTokenFunction | None


class ClientOptions(Changes, _Connection, total=False):
    http_client: httpx2.Client | None


class AsyncClientOptions(AsyncChanges, _Connection, total=False):
    http_client: httpx2.AsyncClient | None


DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(sorted(ClientOptions.__optional_keys__)),
    "show_phone_numbers": False,
    "allow_insecure_http": False,
    "verify": True,
    "max_connections": 100,
}


def named_options(options: Any) -> Callable[[T], T]:
    """Names the options in the signature of a constructor, for `help()` and notebooks."""

    def name_them(create: Any) -> Any:
        parameters = [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS[one]) for one in options.__annotations__]
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        create.__signature__ = inspect.Signature([itself, *parameters])
        return create

    return name_them


class Clock(Protocol):
    """Source of time. Seconds since the epoch, and since any fixed moment."""

    def now(self) -> float: ...
    def elapsed(self) -> float: ...


class SystemClock:
    """The machine's time."""

    now = staticmethod(time.time)
    elapsed = staticmethod(time.monotonic)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry policy with its defaults."""

    max_retry_after: float = 60.0
    on_unknown_outcome: Literal["raise", "check", "retry"] = "raise"
    trust_503_codes: bool = False
    budget: bool = True


@dataclass(slots=True)
class Settings:
    """Options of a client after checks, with their defaults."""

    base_url: str
    auth: Auth
    account_id: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    total_timeout: float | None = None
    max_retries: int = DEFAULT_MAX_RETRIES
    retry: RetryPolicy = RetryPolicy()
    headers: Mapping[str, str] = field(default_factory=Hidden)
    on_retry: Callable[[RetryEvent], object] | None = None
    show_phone_numbers: bool = False
    budgets: RetryBudgets | None = field(default_factory=RetryBudgets)
    server_time: ServerTime = field(default_factory=ServerTime)
    logged_deprecations: set[str] = field(default_factory=set[str])
    logged_retries: OnceAMinute | None = None
    """Which retries are logged as warnings."""
    clock: Clock = field(default_factory=SystemClock)
    random: Callable[[], float] = random.random

    def moment(self) -> Moment:
        """Returns the present moment by both clocks."""
        return Moment(self.clock.now(), self.clock.elapsed())


Rule = tuple[Callable[[Any], bool], str]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


# Those of the connection are the transport's: a length that is not the body's breaks the request when a part of it is sent.
_HEADER_NAME = re.compile(
    r"(?!(?:authorization|x-account-id|connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$)"
    r"[!#$%&'*+.^_`|~0-9a-z-]+",
    re.IGNORECASE | re.ASCII,
)
_HEADER_VALUE = re.compile("[\t\x20-\x7e\x80-\xff]*")
_ACCOUNT = re.compile(r"[\x21-\x7e]+")

_SECONDS: Rule = (
    lambda value: _is_number(value) and 0 < value <= MAX_SECONDS,
    "must be seconds above 0, at most 2147483",
)


def _are_fields(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


_FIELDS: Rule = (_are_fields, "must be a dict of names and values")


def _are_headers(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    pairs: list[tuple[object, object]] = list(value.items())
    return all(
        isinstance(name, str) and isinstance(text, str) and _HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(text)
        for name, text in pairs
    )


REQUEST_RULES: dict[str, Rule] = {
    "timeout": _SECONDS,
    "total_timeout": _SECONDS,
    "max_retries": (_is_whole, "must be an integer from 0"),
    "retry": (lambda value: isinstance(value, Mapping), "must be a dict"),
    "headers": (
        _are_headers,
        "must be a dict of header names and text, without those of api_key, access_token and account_id, and of the connection",
    ),
    "account_id": (
        lambda value: isinstance(value, str) and _ACCOUNT.fullmatch(value) is not None,
        "must be visible ASCII characters without spaces",
    ),
    "extra_body": _FIELDS,
    "extra_query": _FIELDS,
    "context": (lambda value: isinstance(value, Mapping), "must be a dict of names and values"),
}

REQUEST_RETRY_RULES: dict[str, Rule] = {
    "max_retry_after": (lambda value: _is_number(value) and 0 <= value <= MAX_SECONDS, "must be seconds from 0 to 2147483"),
    "on_unknown_outcome": (lambda value: value in ("raise", "check", "retry"), "must be raise, check or retry"),
}

RETRY_RULES: dict[str, Rule] = {
    **REQUEST_RETRY_RULES,
    "trust_503_codes": (lambda value: isinstance(value, bool), "must be True or False"),
    "budget": (lambda value: isinstance(value, bool), "must be True or False"),
}

# Names that other clients have, and the option that does the same.
_OTHER_NAMES = {
    "max": "max_retries",
    "max_retry_after": "retry.max_retry_after",
    "extra_headers": "headers",
    "timeout_ms": "timeout, in seconds",
}


def check(condition: bool, option: str, problem: str) -> None:
    """Raises a `ConfigurationError` if the condition is False."""
    if not condition:
        raise ConfigurationError(option, problem)


def presentable(name: object) -> str:
    """Returns the name of an option for a message. A key that was put in its place has digits, or is long."""
    known = (*REQUEST_RULES, *RETRY_RULES, *_OTHER_NAMES)
    text = str(name)
    is_name = len(text) <= 40 and (re.fullmatch("[A-Za-z_]+", text) or get_close_matches(text, known, 1, 0.8))
    return text if is_name else "(a name that may be a secret)"


def unknown_option(name: str, otherwise: str) -> ConfigurationError:
    """Returns the error for an option that does not exist: with the name that it has here, or else with another hint."""
    other = _OTHER_NAMES.get(name.rpartition(".")[2])
    prefix, _, last = name.rpartition(".")
    shown = ".".join(filter(None, (prefix, presentable(last))))
    return ConfigurationError(shown, f"is not an option{f'. Did you mean {other}?' if other else otherwise}")


_SECRET_OPTIONS = ("api_key", "access_token", "proxy")


def hide_secrets(options: dict[str, Any]) -> None:
    """Puts the secrets among a client's options into objects that do not show them, in place."""
    for name in _SECRET_OPTIONS:
        is_function = name == "access_token" and callable(options.get(name))
        if options.get(name) is not None and not isinstance(options[name], Secret) and not is_function:
            options[name] = Secret(options[name])
    for name in [one for one in options if presentable(one) != one]:
        options[presentable(name)] = options.pop(name)
    if isinstance(options.get("headers"), Mapping):
        options["headers"] = Hidden(options["headers"])


def known_options(options: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """Hides the secrets among the options of a constructor in place, rejects options that do not exist, and returns the rest."""
    hide_secrets(options)
    for name in options:
        if name not in known:
            raise unknown_option(name, ". Check its spelling.")
    return options


def check_options(options: object, rules: Mapping[str, Rule], prefix: str = "") -> dict[str, Any]:
    """Checks options, and returns those that have a value. An error names the option, and never holds a secret."""
    if not isinstance(options, Mapping):
        raise ConfigurationError(prefix.rstrip(".") or "options", "must be a dict")
    given: dict[str, Any] = {}
    for name, value in options.items():
        rule = rules.get(str(name))
        if rule is None:
            raise unknown_option(f"{prefix}{name}", f"; known are {', '.join(rules)}")
        if value is None:
            continue
        check(rule[0](value), f"{prefix}{name}", rule[1])
        given[str(name)] = value
    return given


def is_async(function: object) -> bool:
    """Returns whether calling a function, or an object, gives something to await."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def read_variable(name: str) -> str | None:
    """Returns an environment variable without spaces around it; None if it is empty."""
    return os.environ.get(name, "").strip() or None


def _is_host(host: str) -> bool:
    """Whether a request can have a host: `999.1.1.1` and `a;b` would only fail when it is sent."""
    # Not loaded by an import of the package.
    from httpx2 import URL, InvalidURL

    if not re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", host):
        return False
    try:
        URL(f"https://[{host}]" if ":" in host else f"https://{host}")
    except InvalidURL:
        return False
    return True


def resolve_base_url(given: str | None, *, allow_insecure_http: bool) -> str:
    """Checks the base URL, or takes it from the environment."""
    base_url, name = given, "base_url"
    if base_url is None:
        base_url, name = read_variable("CALL_TRANSFER_BASE_URL"), "CALL_TRANSFER_BASE_URL"
        check(base_url is not None, "base_url", "is required. Pass it, or set CALL_TRANSFER_BASE_URL.")
    try:
        url = urlsplit(base_url) if isinstance(base_url, str) and base_url.isprintable() and " " not in base_url else None
        port = None if url is None else url.port
    except ValueError:
        url = port = None
    if url is None or url.scheme not in ("http", "https") or not _is_host(host := url.hostname or ""):
        raise ConfigurationError(name, "must be a URL with https:// or http://, such as https://api.example.com")
    check(
        "@" not in url.netloc and not re.search(r"[?#]", str(base_url)),
        name,
        "must not have a user name, query or fragment",
    )
    path = url.path.rstrip("/")
    check(not path.endswith("/api/v1"), name, "must not include /api/v1")
    is_loopback = re.fullmatch(r"(?:.+\.)?localhost|::1|127(?:\.\d{1,3}){3}", host) is not None
    secure = url.scheme == "https" or is_loopback or allow_insecure_http
    check(secure, name, "must use https. In a private network, set allow_insecure_http=True.")
    shown = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{shown}{'' if port is None else f':{port}'}{path}"


USER_AGENT = (
    f"call-transfer-python/{VERSION} (contract {CONTRACT_VERSION.split('.')[0]})"
    f" python/{sys.version_info.major}.{sys.version_info.minor}"
)
