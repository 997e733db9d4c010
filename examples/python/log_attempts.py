# Logs attempts and retries, and names a request for the support of the
# platform.
import logging
import sys

from call_transfer import NotFoundError
from call_transfer.testing import demo, open_sandbox

logging.basicConfig(
    stream=sys.stdout, format="%(levelname)-7s %(name)s: %(message)s"
)
logging.getLogger("call_transfer").setLevel(logging.DEBUG)

sandbox = open_sandbox()
client = sandbox.client()

response = client.request("GET", "/api/v1/roles")
print(f"the roles came with request {response.request_id}")

# A limit of requests. The client waits for as long as the API asks, and tries
# again.
sandbox.add_fault({"do": {"rateLimit": {"retryAfterSecs": 1}}})
client.roles.list()

# A refusal. The message names the request too.
try:
    client.members.get_availability(demo.members.foreign)
except NotFoundError as error:
    print(f"ask support about request {error.request_id}")
sandbox.close()
