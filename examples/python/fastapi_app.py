"""Receives offers with FastAPI: uvicorn fastapi_app:app --port 3000."""

from call_transfer.webhooks import AsyncWebhookReceiver
from fastapi import FastAPI, Response
from offers import decide, secrets
from starlette.routing import Route

receiver = AsyncWebhookReceiver(secret=secrets, on_event=decide)
# A route of its own gets the raw body, which is what is signed.
app = FastAPI(routes=[Route("/offers", receiver, methods=["POST"])])


@app.get("/ready")
async def ready(response: Response) -> list[str]:
    """For a readiness probe."""
    problems = await receiver.check_ready()
    response.status_code = 503 if problems else 200
    return [problem.message for problem in problems]
