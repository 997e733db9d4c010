"""Receives offers with FastAPI: uvicorn fastapi_app:app --port 3000."""

from call_transfer.webhooks import AsyncWebhookHandler
from fastapi import FastAPI, Response
from offers import decide, secrets
from starlette.routing import Route

handler = AsyncWebhookHandler(secret=secrets, on_event=decide)
# A route of its own gets the raw body, which is what is signed.
app = FastAPI(routes=[Route("/offers", handler, methods=["POST"])])


@app.get("/ready")
async def ready(response: Response) -> list[str]:
    """For a readiness probe."""
    problems = await handler.check_readiness()
    response.status_code = 503 if problems else 200
    return [problem.message for problem in problems]
