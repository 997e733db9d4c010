"""A store in SQLite, for one process."""

import sqlite3
import threading
import time

from call_transfer.webhooks import EventClaim


class SqliteEventStore:
    retention = 86_400.0

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        # Outside of a transaction, each statement is committed at once.
        self._database = sqlite3.connect(
            path, check_same_thread=False, isolation_level=None
        )
        columns = "key text primary key, owner text, response text, ends real"
        self._database.execute(f"create table events ({columns})")

    def _find(self, key: str) -> tuple[str, str | None] | None:
        found: tuple[str, str | None] | None = self._database.execute(
            "select owner, response from events where key = ? and ends > ?",
            (key, time.time()),
        ).fetchone()
        return found

    def _put(
        self, key: str, owner: str, response: str | None, seconds: float
    ) -> None:
        row = (key, owner, response, time.time() + seconds)
        self._database.execute(
            "insert or replace into events values (?, ?, ?, ?)", row
        )

    def claim(
        self, key: str, owner: str, lease_duration: float, /
    ) -> EventClaim:
        with self._lock:
            held = self._find(key)
            if held is not None and held[1] is not None:
                return EventClaim("completed", held[1])
            if held is not None and held[0] != owner:
                return EventClaim("in_progress")
            self._put(key, owner, None, lease_duration)
            return EventClaim("claimed")

    def complete(self, key: str, owner: str, response: str, /) -> bool:
        with self._lock:
            held = self._find(key)
            if held is not None and held != (owner, None):
                return False
            self._put(key, owner, response, self.retention)
            return True

    def release(self, key: str, owner: str, /) -> None:
        with self._lock:
            self._database.execute(
                "delete from events where key = ? and owner = ? and response is null",
                (key, owner),
            )
