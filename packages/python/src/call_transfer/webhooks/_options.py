"""Options of handlers, and their checks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict, cast

from .._generated.signature import TOLERANCE_SECS
from .._options import presentable
from ._errors import WebhookErrorCode
from ._signature import tolerance_of

OnError = Callable[[BaseException, WebhookErrorCode], object]


class WebhookHandlerOptions(TypedDict, total=False):
    """Options that both handlers have. All times are in seconds."""

    on_store_error: Literal["handle", "reject"]
    """
    What happens when the store fails before an event is handled. `handle`, the default: it is handled without the store, so no offer
    is lost, but another process may handle a duplicate too. `reject`: 503, which declines offers while it fails.
    """
    tolerance: float
    """Maximum difference between the signature's time and now, in both directions: above 0; 300 by default (§6)."""
    lease_duration: float
    """
    Time until another process may take an event over after a crash: 0.1 to 60; 2 by default. The lease is extended while `on_event`
    runs, for at most 60 s.
    """
    duplicate_wait: float
    """
    How long a duplicate waits for the first response: 0 to 60; 8 by default, because the platform gives a delivery up after 10 s.
    Then it gets 503 with `Retry-After`.
    """
    store_timeout: float
    """Timeout of one step of the store: 0.001 to 60; 1 by default. Excludes queueing, which `duplicate_wait` limits."""
    max_answers: int
    """Maximum number of responses that this process remembers, from 1 on; 10,000 by default. The oldest are evicted."""
    on_error: OnError
    """
    Receives each error and its code. The sender gets no details. By default the logger `call_transfer.webhooks` has each cause at
    most once a minute, in one line.
    """
    clock: Callable[[], float]
    """Source of time in seconds since the epoch; `time.time` by default."""


class Settings(NamedTuple):
    """Options with their defaults."""

    on_store_error: Literal["handle", "reject"] = "handle"
    tolerance: float = float(TOLERANCE_SECS)
    lease_duration: float = 2.0
    duplicate_wait: float = 8.0
    store_timeout: float = 1.0
    max_answers: int = 10_000
    on_error: OnError | None = None
    clock: Callable[[], float] = time.time


_RANGES = {"lease_duration": (0.1, 60), "duplicate_wait": (0.0, 60), "store_timeout": (0.001, 60), "max_answers": (1, math.inf)}


def settings_of(options: WebhookHandlerOptions, store: object, inbox: object) -> Settings:
    """Returns the checked settings. Raises a `TypeError` for an option that does not exist, else a `ValueError`."""
    unknown = next((name for name in options if name not in Settings._fields), None)
    if unknown is not None:
        raise TypeError(f"{presentable(unknown)} is not an option. Check its spelling.")
    settings = Settings(**cast("dict[str, Any]", options))
    useless = ["store"] * (store is not None) + [one for one in ("on_store_error", "lease_duration", "store_timeout") if one in options]
    if inbox is not None and useless:
        raise TypeError(f"{useless[0]} has no effect with inbox. Remove it.")
    tolerance_of(settings.tolerance)
    if settings.on_store_error not in ("handle", "reject"):
        raise ValueError('on_store_error must be "handle" or "reject"')
    for name, (least, most) in _RANGES.items():
        if not least <= getattr(settings, name) <= most:
            raise ValueError(f"{name} must be from {least:g}" + (f" to {most:g} seconds" if most == 60 else " on"))
    valid = 2 * settings.tolerance
    if not float(getattr(inbox if store is None else store, "retention", math.inf)) >= valid:
        raise ValueError(f"retention must be at least twice tolerance ({valid:g} seconds), because a delivery stays valid that long")
    return settings
