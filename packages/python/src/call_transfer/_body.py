"""Reading response bodies up to a limit, also of their decompressed size."""

from __future__ import annotations

import codecs
import zlib

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_ERROR_BODY_BYTES = 64 * 1024


class UnknownEncoding(Exception):
    """The body has a content encoding that was not asked for."""


class BodyReader:
    """Takes the bytes of a body as they arrive."""

    def __init__(self, status: int, encoding: str | None) -> None:
        self.limit = MAX_BODY_BYTES if 200 <= status < 300 else MAX_ERROR_BODY_BYTES
        self.is_cut = status >= 300 or status < 200
        """Whether what exceeds the limit is left out, as opposed to being an error."""
        self._chunks: list[bytes] = []
        self._size = 0
        self._inflate = None
        self._encoding = (encoding or "identity").strip().lower()
        if self._encoding in ("gzip", "x-gzip", "deflate"):
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def add(self, chunk: bytes) -> bool:
        """Takes in a chunk. Returns False if the body exceeds its limit."""
        room = self.limit - self._size
        if self._inflate is not None:
            try:
                chunk = self._inflate.decompress(chunk, room + 1)
            except zlib.error as error:
                raise UnknownEncoding("the body cannot be decompressed") from error
        elif self._encoding not in ("identity", ""):
            raise UnknownEncoding(f"the body is encoded as {self._encoding[:20]}")
        self._chunks.append(chunk[:room])
        self._size += min(len(chunk), room)
        return len(chunk) <= room

    def text(self, *, is_complete: bool) -> str | None:
        """Returns it as text, without half a character at its end unless it is complete. None for an empty body."""
        if not self._chunks:
            return None
        data = b"".join(self._chunks)
        if is_complete:
            return data.decode("utf-8-sig", "replace")
        return codecs.getincrementaldecoder("utf-8-sig")("replace").decode(data)
