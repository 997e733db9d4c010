"""Python client of the call-transfer API.

Modules are loaded when a name of theirs is first used (PEP 562), so that importing the package costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from ._auth import AccessTokenFunction as AccessTokenFunction
    from ._auth import AsyncAccessTokenFunction as AsyncAccessTokenFunction
    from ._client import ApiResponse as ApiResponse
    from ._client import AsyncCallTransfer as AsyncCallTransfer
    from ._client import CallTransfer as CallTransfer
    from ._errors import AbortError as AbortError
    from ._errors import ApiError as ApiError
    from ._errors import ApiErrorDetails as ApiErrorDetails
    from ._errors import Attempt as Attempt
    from ._errors import AttemptErrorCode as AttemptErrorCode
    from ._errors import CallTransferError as CallTransferError
    from ._errors import ConfigurationError as ConfigurationError
    from ._errors import ConnectionError as ConnectionError
    from ._errors import InvalidArgumentError as InvalidArgumentError
    from ._errors import InvalidResponseError as InvalidResponseError
    from ._errors import OutcomeUnknownError as OutcomeUnknownError
    from ._errors import OutcomeWindow as OutcomeWindow
    from ._errors import Reconciliation as Reconciliation
    from ._errors import ReconciliationReason as ReconciliationReason
    from ._errors import RequestError as RequestError
    from ._errors import RequestErrorDetails as RequestErrorDetails
    from ._errors import RequestOutcome as RequestOutcome
    from ._errors import RetrySkippedReason as RetrySkippedReason
    from ._errors import TimeoutError as TimeoutError
    from ._generated.codes import ErrorCode as ErrorCode
    from ._generated.errors import *  # noqa: F403
    from ._generated.models import *  # noqa: F403
    from ._generated.version import CONTRACT_VERSION as CONTRACT_VERSION
    from ._generated.version import VERSION as VERSION
    from ._model import ApiModel as ApiModel
    from ._options import NOT_GIVEN as NOT_GIVEN
    from ._options import NotGiven as NotGiven
    from ._options import RequestOptions as RequestOptions
    from ._options import RequestRetryOptions as RequestRetryOptions
    from ._options import RetryEvent as RetryEvent
    from ._options import RetryOptions as RetryOptions
    from ._pagination import AsyncPages as AsyncPages
    from ._pagination import Pages as Pages
else:
    from ._generated.names import ERRORS, MODELS

    _NAMES = {
        "_auth": ("AccessTokenFunction", "AsyncAccessTokenFunction"),
        "_client": ("ApiResponse", "AsyncCallTransfer", "CallTransfer"),
        "_errors": (
            "AbortError",
            "ApiError",
            "Attempt",
            "AttemptErrorCode",
            "CallTransferError",
            "ConfigurationError",
            "ConnectionError",
            "ApiErrorDetails",
            "InvalidArgumentError",
            "InvalidResponseError",
            "RequestOutcome",
            "OutcomeUnknownError",
            "OutcomeWindow",
            "Reconciliation",
            "ReconciliationReason",
            "RequestError",
            "RequestErrorDetails",
            "RetrySkippedReason",
            "TimeoutError",
        ),
        "_generated.codes": ("ErrorCode",),
        "_generated.errors": ERRORS,
        "_generated.models": MODELS,
        "_generated.version": ("CONTRACT_VERSION", "VERSION"),
        "_model": ("ApiModel",),
        "_options": ("NOT_GIVEN", "NotGiven", "RequestOptions", "RequestRetryOptions", "RetryEvent", "RetryOptions"),
        "_pagination": ("AsyncPages", "Pages"),
    }
    _MODULES = {name: module for module, names in _NAMES.items() for name in names}

    # `import *` must not take the place of Python's own errors.
    __all__ = sorted(set(_MODULES) - {"ConnectionError", "TimeoutError"})

    def __getattr__(name):
        if name == "__version__":
            return __getattr__("VERSION")
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(f".{module}", __name__), name)
        return value

    def __dir__():
        return [*_MODULES, "__version__"]
