"""Receives offers on AWS Lambda, behind API Gateway or a function URL.

Install call-transfer and redis, and add the layer "AWS Parameters and Secrets
Lambda Extension". Set the timeout of the function to 15 seconds: by default it
is 3, and a copy of an offer may wait 8 for the answer.
"""

import base64
import json
import os
from typing import NotRequired, TypedDict
from urllib.parse import quote
from urllib.request import Request, urlopen

from call_transfer.webhooks import WebhookHandler
from call_transfer.webhooks.redis import redis_event_store
from offers import decide
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def secrets() -> list[str]:
    """Reads Secrets Manager: one signing secret in each line.

    The extension keeps it for five minutes.
    """
    port = os.environ.get("PARAMETERS_SECRETS_EXTENSION_HTTP_PORT", "2773")
    secret_id = quote(os.environ["CALL_TRANSFER_SIGNING_SECRETS_ID"], safe="")
    url = f"http://localhost:{port}/secretsmanager/get?secretId={secret_id}"
    token = {"X-Aws-Parameters-Secrets-Token": os.environ["AWS_SESSION_TOKEN"]}
    with urlopen(Request(url, headers=token), timeout=2) as response:
        text: str = json.load(response)["SecretString"]
    return text.split()


# Copies of an offer reach different instances of the function, so they share a
# store. While Redis is away, commands fail within a moment, and offers are
# handled without it.
limits = {"socket_timeout": 1, "socket_connect_timeout": 1}
redis = Redis.from_url(
    os.environ["REDIS_URL"], **limits, retry=Retry(NoBackoff(), 1)
)
store = redis_event_store(
    lambda script, key, args: redis.eval(script, 1, key, *args)
)
webhooks = WebhookHandler(secret=secrets, on_event=decide, store=store)


class Http(TypedDict):
    method: str


class Context(TypedDict):
    http: NotRequired[Http]


class Event(TypedDict):
    """What gateways of both versions send, as far as it is read here."""

    headers: dict[str, str]
    body: NotRequired[str | None]
    isBase64Encoded: NotRequired[bool]
    requestContext: Context
    httpMethod: NotRequired[str]


def handler(event: Event, _context: object) -> dict[str, object]:
    text = event.get("body") or ""
    is_binary = event.get("isBase64Encoded", False)
    body = base64.b64decode(text) if is_binary else text.encode()
    http = event["requestContext"].get("http")
    method = http["method"] if http else event["httpMethod"]
    answer = webhooks.handle(body, event["headers"], method=method)
    return {
        "statusCode": answer.status,
        "headers": dict(answer.headers),
        "body": (answer.body or b"").decode(),
    }
