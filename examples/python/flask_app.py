"""Receives offers with Flask: flask --app flask_app run --port 3000."""

from call_transfer.webhooks import WebhookHandler
from flask import Flask, Response, request
from offers import decide, secrets

handler = WebhookHandler(secret=secrets, on_event=decide)
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024


@app.post("/offers")
def offers() -> Response:
    """Passes the raw body on, which is what is signed."""
    answer = handler.handle(request.get_data(), request.headers)
    return Response(answer.body, answer.status, dict(answer.headers))
