# Sends the client's requests through a proxy.
import os

from call_transfer import CallTransfer

with CallTransfer(proxy=os.environ["PROXY_URL"]) as client:
    print(f"{client.calls.list(limit=1).first_page().meta.total} calls")
