"""A handler whose processes share Redis."""

import os

from call_transfer.webhooks import WebhookHandler
from call_transfer.webhooks.redis import redis_event_store
from offers import decide, secrets
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

# While Redis is away or hangs, commands fail soon. Otherwise the client would try for long, and a step of the store holds a thread.
client = Redis.from_url(
    os.environ["REDIS_URL"],
    socket_timeout=1,
    socket_connect_timeout=1,
    retry=Retry(NoBackoff(), 1),
)
store = redis_event_store(
    lambda script, key, args: client.eval(script, 1, key, *args)
)
handler = WebhookHandler(secret=secrets, on_event=decide, store=store)
