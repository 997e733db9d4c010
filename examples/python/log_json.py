# Writes the client's log as JSON.
import json
import logging
import os

from call_transfer import CallTransfer, RequestError


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, RequestError):
            line["code"] = getattr(error, "code", None)
            line["outcome"] = error.outcome
            line["request_ids"] = [one.request_id for one in error.attempts]
        return json.dumps(line)


handler = logging.StreamHandler()
handler.setFormatter(JsonFormatter())
logging.basicConfig(handlers=[handler])
# The client logs each attempt at debug and each retry at warning. No message
# contains a secret. Without this, CALL_TRANSFER_LOG decides.
if os.environ.get("ENVIRONMENT") == "production":
    logging.getLogger("call_transfer").setLevel(logging.WARNING)

log = logging.getLogger("reports")
log.setLevel(logging.INFO)
with CallTransfer() as client:
    try:
        total = client.calls.list(limit=20).first_page().meta.total
        log.info("%s calls listed", total)
    except RequestError:
        log.exception("calls could not be listed")
