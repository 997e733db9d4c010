"""A server with FastAPI that places calls and lists them."""

import logging
import os
from typing import Annotated

from call_transfer import AsyncCallTransfer, OutcomeUnknownError, RequestError
from error_response import error_response
from fastapi import Body, FastAPI, Request
from fastapi.responses import JSONResponse

# Each attempt with its request ID, and each retry.
logging.basicConfig()
logging.getLogger("call_transfer").setLevel(logging.DEBUG)

# One client for the process, not one per request: its requests share a budget
# of retries. Its address and key come from the environment.
client = AsyncCallTransfer()
app = FastAPI()


# A caller that disconnects does not end this. That would not hang up, it would
# only lose the answer.
@app.post("/calls", status_code=201)
async def place(
    to_number: Annotated[str, Body(alias="toNumber", embed=True)],
) -> dict[str, object]:
    placed = await client.calls.create(
        flow_id=os.environ["FLOW_ID"],
        from_number=os.environ["FROM_NUMBER"],
        to_number=to_number,
        options={"total_timeout": 20},
    )
    return placed.model_dump(by_alias=True)


@app.get("/calls")
async def calls() -> dict[str, object]:
    page = await client.calls.list(limit=20).first_page()
    return page.model_dump(by_alias=True)


@app.exception_handler(RequestError)
async def on_error(_request: Request, error: RequestError) -> JSONResponse:
    logging.error("%s", error)
    found = None
    if isinstance(error, OutcomeUnknownError):
        found = await error.reconcile_async()
    status, body, headers = error_response(error, found)
    return JSONResponse(body, status, headers)
