"""Keeps secrets and phone numbers out of messages, errors and logs. Pure functions."""

from __future__ import annotations

import re
from binascii import b2a_base64
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

_SHORTEST_SECRET = 8
"""Shorter text is not a credential, and may be part of ordinary words such as `token_expired`."""

_PHONE_NUMBER = re.compile(r"(\+|%2[bB])([1-9][0-9]{6,14})(?![0-9])")

# Line breaks, terminal escapes, marks that change the direction of text, and halves of surrogate pairs, which cannot be written.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def mask_numbers(text: str) -> str:
    """Masks the phone numbers in a text, such as `+1415*****67`: at most the first four digits and the last two stay."""

    def masked(match: re.Match[str]) -> str:
        plus, digits = match.groups()
        shown = min(4, len(digits) - 6)
        return f"{plus}{digits[:shown]}{'*' * (len(digits) - shown - 2)}{digits[-2:]}"

    return _PHONE_NUMBER.sub(masked, text) if "+" in text or "%2" in text else text


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})|\\(.)", re.DOTALL)
# In any case, and with both alphabets of base64 as one. Only ASCII, so that a text keeps its length.
_FOLDED: dict[int, int | str] = {**{code: code + 32 for code in range(65, 91)}, ord("-"): "+", ord("_"): "/"}


class Secret:
    """A credential, or whatever may be one. It is in no attribute, so that nothing that prints objects shows it."""

    __slots__ = ("_forms", "reveal")

    reveal: Callable[[], Any]
    """Returns it, for an expression: no variable may hold it."""

    def __init__(self, value: Any) -> None:
        self.reveal = lambda: value
        self._forms: tuple[Secret, ...] | None = None

    def __repr__(self) -> str:
        return "[redacted]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and bool(self.reveal() == other.reveal())

    def __hash__(self) -> int:
        return hash(self.reveal())

    def __len__(self) -> int:
        return len(self.reveal())

    def _base64(self, before: int) -> str:
        """Its base64 after 0 to 2 other bytes, without the characters that depend on its neighbours."""
        length = before + len(self.reveal().encode())
        place = slice(-(-8 * before // 6), 8 * length // 6)
        return b2a_base64(b"-" * before + self.reveal().encode(), newline=False).decode()[place].translate(_FOLDED)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Returns where a folded text holds it, as it is or in base64. Places may overlap."""
        if self._forms is None:
            self._forms = (Secret(self.reveal().translate(_FOLDED)), *(Secret(self._base64(before)) for before in range(3)))
        found: list[tuple[int, int]] = []
        for form in self._forms:
            at = text.find(form.reveal())
            while at >= 0:
                found.append((at, at + len(form)))
                at = text.find(form.reveal(), at + len(form))
        return found


class Hidden(dict[str, Any]):
    """A dictionary whose values may be secrets, such as headers."""

    def __repr__(self) -> str:
        return f"<{', '.join(map(str, self))}>"


def _unescape(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Returns text without the escapes of JSON and URLs, and the places of it and of the text that belong together."""
    parts: list[str] = []
    places, length, end = [(0, 0)], 0, 0
    for match in _ESCAPE.finditer(text):
        code = match[1] or match[2]
        character = chr(int(code, 16)) if code else match[3]
        parts += [text[end : match.start()], character]
        length += match.start() - end
        places.append((length, match.start()))
        length, end = length + 1, match.end()
        places.append((length, end))
    return "".join([*parts, text[end:]]), places


def _redact_one(text: str, secret: Secret) -> str:
    spans = secret.places(text.translate(_FOLDED))
    if "\\" in text or "%" in text:
        plain, places = _unescape(text)
        starts = [start for start, _ in places]

        def source(at: int) -> int:
            start, place = places[bisect_right(starts, at) - 1]
            return place + at - start

        spans += [(source(start), source(end)) for start, end in secret.places(plain.translate(_FOLDED))]
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += [text[end:start], "[redacted]"]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


def redact(text: str, secrets: Iterable[Secret | str]) -> str:
    """Replaces secrets in text: in any case, in base64, and where JSON or a URL escapes them."""
    held = [one if isinstance(one, Secret) else Secret(one) for one in secrets]
    # Longest first: one secret may start with another.
    for secret in sorted(held, key=len, reverse=True):
        # No form of a secret is shorter than the secret.
        if _SHORTEST_SECRET <= len(secret) <= len(text):
            text = _redact_one(text, secret)
    return text


def excerpt(text: str, length: int = 300) -> str:
    """Makes text of a server safe for a message: one line, without control characters, cut to a length."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * length]).strip()
    return f"{line[:length]}…" if len(line) > length or len(text) > 2 * length else line
