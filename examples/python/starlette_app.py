"""Receives offers with Starlette: uvicorn starlette_app:app --port 3000."""

from call_transfer.webhooks import AsyncWebhookHandler
from offers import decide, secrets
from starlette.applications import Starlette
from starlette.routing import Route

handler = AsyncWebhookHandler(secret=secrets, on_event=decide)
app = Starlette(routes=[Route("/offers", handler, methods=["POST"])])
