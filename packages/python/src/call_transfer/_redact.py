"""Keeps secrets and phone numbers out of messages, errors and logs. Pure functions."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

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


def _escaped(character: str) -> str:
    """Matches a character, also in the other alphabet of base64, and its escapes in JSON and in URLs."""
    code = f"{ord(character):x}"
    literal = {"+": "[+-]", "-": "[+-]", "/": "[/_]", "_": "[/_]"}.get(character, re.escape(character))
    return f"(?:\\\\?{literal}|\\\\u{code.zfill(4)}|%{code})"


def _base64_of(text: str, before: int) -> str:
    """Base64 of text that begins after 0 to 2 other bytes, without the characters that depend on its neighbours."""
    raw = text.encode()
    encoded = base64.b64encode(b"-" * before + raw).decode()
    return encoded[-(-8 * before // 6) : 8 * (before + len(raw)) // 6]


def _fold(text: str) -> str:
    return text.lower().replace("-", "+").replace("_", "/")


def redact(text: str, secrets: Iterable[str]) -> str:
    """Replaces secrets in text: in any case, in base64, and where JSON or a URL escapes them."""
    # Longest first: one secret may start with another.
    for secret in sorted(secrets, key=len, reverse=True):
        # No form of a secret is shorter than the secret.
        if not _SHORTEST_SECRET <= len(secret) <= len(text):
            continue
        forms = [secret, *(_base64_of(secret, before) for before in range(3))]
        folded = _fold(text)
        if "\\" not in text and "%" not in text and not any(_fold(form) in folded for form in forms):
            continue
        pattern = "|".join("".join(map(_escaped, form)) for form in forms)
        text = re.sub(pattern, "[redacted]", text, flags=re.IGNORECASE)
    return text


def excerpt(text: str, length: int = 300) -> str:
    """Makes text of a server safe for a message: one line, without control characters, cut to a length."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * length]).strip()
    return f"{line[:length]}…" if len(line) > length or len(text) > 2 * length else line
