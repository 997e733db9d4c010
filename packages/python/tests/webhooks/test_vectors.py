"""The published vectors: what handlers in every language must accept, refuse, write, read and call an event."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from call_transfer._generated.signature import HEADER
from call_transfer.webhooks import (
    EventClaim,
    WebhookHandler,
    WebhookResponse,
    WebhookVerificationError,
    sign_webhook,
    verify_webhook,
)
from call_transfer.webhooks._response import response_of, text_of

from .virtual import MemoryStore

VECTORS = Path(__file__).parents[3] / "contract" / "vectors"
SECRET = "secret-of-vectors"


def cases_of(name: str) -> list[Any]:
    cases: list[Any] = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))["cases"]
    assert len(cases) > 10
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", cases_of("signatures"))
def test_a_signature_is_judged_as_the_vectors_say(case: dict[str, Any]) -> None:
    body = case["body"] if "body" in case else base64.b64decode(case["bodyBase64"])
    headers = [(name, value) for name, value in case["headers"]]
    try:
        verify_webhook(
            body,
            headers,
            secret=case["secrets"],
            tolerance=case.get("toleranceSecs", 300),
            clock=lambda: float(case["now"]),
        )
        outcome = "valid"
    except WebhookVerificationError as error:
        outcome = error.code
    assert outcome == case["expects"]


@pytest.mark.parametrize("case", cases_of("event-keys"))
def test_an_event_has_the_key_that_the_vectors_say(case: dict[str, Any]) -> None:
    keys: list[str] = []

    class Recorded(MemoryStore):
        def claim(self, key: str, owner: str, lease_duration: float, /) -> EventClaim:
            keys.append(key)
            return super().claim(key, owner, lease_duration)

    handler = WebhookHandler(secret=SECRET, store=Recorded(), on_event=lambda event: None)
    headers = {"Service-Signature": sign_webhook(case["body"], secret=SECRET)}
    assert handler.handle(case["body"], headers).status == 204
    assert keys == [case["key"]]


@pytest.mark.parametrize("case", cases_of("stored-answers"))
def test_a_stored_answer_is_read_as_the_vectors_say(case: dict[str, Any]) -> None:
    class Holding(MemoryStore):
        def claim(self, key: str, owner: str, lease_duration: float, /) -> EventClaim:
            return EventClaim("completed", case["stored"])

    handled: list[object] = []
    codes: list[str] = []
    handler = WebhookHandler(
        secret=SECRET,
        store=Holding(),
        on_event=lambda event: handled.append(event),
        on_error=lambda error, code: codes.append(code),
    )
    body = '{"type":"transfer.offer"}'
    response = handler.handle(body, {"service-signature": sign_webhook(body, secret=SECRET)})
    reads = case["reads"]
    if reads == "unknown version":
        assert (response.status, response.headers["retry-after"], handled) == (503, "1", [])
        assert codes == ["stored_response_unreadable"]
    elif reads == "no answer":
        with pytest.raises(TypeError):
            response_of(case["stored"])
        assert (len(handled), codes[0]) == (1, "store_failed")
    else:
        assert (response.status, handled, codes) == (reads["status"], [], [])
        assert response.headers.get("content-type") == reads.get("contentType")
        assert base64.b64encode(response.body or b"").decode() == reads.get("body", "")


def test_an_answer_is_written_as_the_vectors_say() -> None:
    written = [case.values[0] for case in cases_of("stored-answers") if "writes" in case.values[0]]
    assert len(written) > 3
    for case in written:
        reads = case["reads"]
        headers = {"content-type": reads["contentType"]} if "contentType" in reads else {}
        body = base64.b64decode(reads["body"]) if "body" in reads else None
        response = WebhookResponse(reads["status"], body, headers)
        assert text_of(response, case["writes"]["owner"]) == case["stored"]


def test_a_body_longer_than_16_kb_is_not_stored() -> None:
    limit = 16 * 1024
    assert "body" in json.loads(text_of(WebhookResponse(200, b"x" * limit), "owner"))
    assert "body" not in json.loads(text_of(WebhookResponse(200, b"x" * (limit + 1)), "owner"))


BODY = b'{"type": "call.offer"}'


@pytest.mark.parametrize("secret", [None, 7, [None], [], [""], b"bytes", {"a": 1}.values()])
def test_a_secret_of_another_kind_is_named(secret: Any) -> None:
    with pytest.raises(ValueError, match=r"^secret must be"):
        verify_webhook(BODY, {}, secret=secret)


@pytest.mark.parametrize("headers", [None, 7, ["a header"], [("one",)], [None]])
def test_headers_of_another_kind_are_named(headers: Any) -> None:
    with pytest.raises(ValueError, match=r"^headers must be a mapping"):
        verify_webhook(BODY, headers, secret=SECRET)


@pytest.mark.parametrize("body", [None, [], {}, 7])
def test_a_body_of_another_kind_is_named(body: Any) -> None:
    with pytest.raises(WebhookVerificationError, match="must be the raw bytes"):
        verify_webhook(body, {HEADER: sign_webhook(BODY, secret=SECRET)}, secret=SECRET)


@pytest.mark.parametrize("tolerance", [None, "300", True, float("nan")])
def test_a_tolerance_of_another_kind_is_named(tolerance: Any) -> None:
    with pytest.raises(ValueError, match=r"^tolerance must be"):
        verify_webhook(BODY, {}, secret=SECRET, tolerance=tolerance)


@pytest.mark.parametrize("form", ["text", "bytes", "list", "pairs"])
def test_headers_are_read_in_the_forms_that_servers_have(form: str) -> None:
    signature = sign_webhook(BODY, secret=SECRET)
    forms: dict[str, Any] = {
        "text": {HEADER.upper(): signature},
        "bytes": [(HEADER.encode(), signature.encode())],
        "list": {HEADER: [signature]},
        "pairs": [(HEADER, signature)],
    }
    verify_webhook(BODY, forms[form], secret=SECRET)
