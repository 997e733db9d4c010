"""A receiver whose processes share Redis."""

import os

from call_transfer.webhooks import WebhookReceiver
from call_transfer.webhooks.redis import RedisEventStore
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
receiver = WebhookReceiver(
    secret=secrets, on_event=decide, store=RedisEventStore(client)
)
