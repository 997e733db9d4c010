"""A server with Flask that places calls and lists them."""

import logging
import os

from call_transfer import CallTransfer, OutcomeUnknownError, RequestError
from error_response import error_response
from flask import Flask, request

# Each attempt with its request ID, and each retry.
logging.basicConfig()
logging.getLogger("call_transfer").setLevel(logging.DEBUG)

# One client for the process and its threads: its requests share a budget of
# retries. Its address and key come from the environment.
client = CallTransfer()
app = Flask(__name__)


@app.post("/calls")
def place() -> tuple[dict[str, object], int]:
    placed = client.calls.create(
        flow_id=os.environ["FLOW_ID"],
        from_number=os.environ["FROM_NUMBER"],
        to_number=str(request.get_json().get("toNumber")),
        options={"total_timeout": 20},
    )
    return placed.model_dump(by_alias=True), 201


@app.get("/calls")
def calls() -> dict[str, object]:
    return client.calls.list(limit=20).first_page().model_dump(by_alias=True)


@app.errorhandler(RequestError)
def on_error(
    error: RequestError,
) -> tuple[dict[str, object], int, dict[str, str]]:
    app.logger.error("%s", error)
    found = None
    if isinstance(error, OutcomeUnknownError):
        found = error.reconcile()
    answer = error_response(error, found)
    return answer.body, answer.status, answer.headers
