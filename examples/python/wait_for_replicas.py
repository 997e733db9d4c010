from call_transfer.webhooks.redis import RedisEventStore
from redis_store import client

store = RedisEventStore(client, wait_for_replicas=1, wait_timeout=0.3)
