"""The errors that the client raises."""

from __future__ import annotations


class CallTransferError(Exception):
    """Base class of the errors that this package raises."""
