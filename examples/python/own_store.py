"""A store in SQLite, for one process."""

import sqlite3
import threading
import time

from call_transfer.webhooks import EventClaim


class SqliteEventStore:
    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        # Outside of a transaction, each statement is committed at once.
        self._database = sqlite3.connect(
            path, check_same_thread=False, isolation_level=None
        )
        columns = "key text primary key, owner text, answer text, ends real"
        self._database.execute(f"create table events ({columns})")

    def _find(self, key: str) -> tuple[str, str | None] | None:
        found: tuple[str, str | None] | None = self._database.execute(
            "select owner, answer from events where key = ? and ends > ?",
            (key, time.time()),
        ).fetchone()
        return found

    def _put(
        self, key: str, owner: str, answer: str | None, seconds: float
    ) -> None:
        row = (key, owner, answer, time.time() + seconds)
        self._database.execute(
            "insert or replace into events values (?, ?, ?, ?)", row
        )

    def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        with self._lock:
            held = self._find(key)
            if held is not None and held[1] is not None:
                return EventClaim("done", held[1])
            if held is not None and held[0] != owner:
                return EventClaim("busy")
            self._put(key, owner, None, lease_time)
            return EventClaim("mine")

    def complete(
        self, key: str, owner: str, answer: str, keep_time: float, /
    ) -> bool:
        with self._lock:
            held = self._find(key)
            if held is not None and held != (owner, None):
                return False
            self._put(key, owner, answer, keep_time)
            return True

    def release(self, key: str, owner: str, /) -> None:
        with self._lock:
            self._database.execute(
                "delete from events where key = ? and owner = ? and answer is null",
                (key, owner),
            )
