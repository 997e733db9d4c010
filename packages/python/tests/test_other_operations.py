"""Paths that the client has no methods for: read into models, retried by their method, paged. With both clients."""

from __future__ import annotations

import asyncio
from typing import Any, assert_type

import pytest
from conftest import KEY, Run
from pydantic import BaseModel, Field, field_validator
from servers import Answer, Server, hang_up, problem, respond
from test_iterating import taken

from call_transfer import (
    ApiModel,
    ApiResponse,
    AsyncCallTransfer,
    AsyncPages,
    CallTransfer,
    InvalidArgumentError,
    InvalidResponseError,
    OutcomeUnknownError,
    Pages,
)


class Contact(BaseModel):
    id: str
    phone: str = Field(default="", alias="phoneNumber")

    @field_validator("id")
    @classmethod
    def _known(cls, value: str) -> str:
        if value == "c-666":
            raise KeyError(value)
        return value


class OpenContact(ApiModel):
    id: str


PATH = "/api/v1/contacts/{contact_id}"
FIRST = {"id": "c-1", "phoneNumber": "+15550100001"}


def page(*numbers: int, total: object = None) -> Answer:
    return respond(200, {"contacts": [{"id": f"c-{number}"} for number in numbers], "meta": {"total": total}})


def ids(items: Any) -> list[str]:
    return [item.id for item in items]


def read(client: Any, model: type[BaseModel] = Contact) -> Any:
    return client.request("GET", PATH, path_params={"contact_id": "c-1"}, model=model)


def contacts(client: Any, **options: Any) -> Any:
    return client.list("/api/v1/contacts", items_field="contacts", **{"model": Contact, **options})


def test_the_types_are_those_of_the_model() -> None:
    def requests(client: CallTransfer) -> None:
        assert_type(client.request("GET", PATH, model=Contact), ApiResponse[Contact])
        assert_type(client.request("GET", PATH), ApiResponse[Any])
        assert_type(client.list("/api/v1/contacts", items_field="contacts", model=Contact), Pages[dict[str, Any], Contact])
        assert_type(client.list("/api/v1/contacts", items_field="contacts"), Pages[dict[str, Any], Any])
        client.request("GET", PATH, model=str)  # type: ignore[type-var]

    async def async_requests(client: AsyncCallTransfer) -> None:
        assert_type(await client.request("GET", PATH, model=Contact), ApiResponse[Contact])
        assert_type(client.list("/api/v1/contacts", items_field="contacts", model=Contact), AsyncPages[dict[str, Any], Contact])

    assert callable(requests)
    assert callable(async_requests)


def test_the_data_is_a_model_of_the_caller(run: Run) -> None:
    with Server(respond(200, FIRST)) as server:
        response = run(server.url, read)
    assert response.data == Contact(id="c-1", phoneNumber="+15550100001")
    assert (response.status, server.requests[0].target) == (200, "/api/v1/contacts/c-1")


def test_a_model_is_sent_by_its_aliases(run: Run) -> None:
    with Server(respond(201, FIRST)) as server:
        run(server.url, lambda client: client.request("POST", "/api/v1/contacts", body=Contact.model_validate(FIRST), model=Contact))
    assert server.requests[0].json() == FIRST


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_idempotent_method_is_retried(run: Run, method: str) -> None:
    with Server(problem(503, "service_error"), respond(200, FIRST)) as server:
        response = run(server.url, lambda client: client.request(method, "/api/v1/contacts/c-1", model=Contact))
    assert (response.data.id, len(server.requests)) == ("c-1", 2)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_any_other_method_is_sent_once_if_it_may_have_been_carried_out(run: Run, method: str) -> None:
    with Server(hang_up) as server, pytest.raises(OutcomeUnknownError):
        run(server.url, lambda client: client.request(method, "/api/v1/contacts", body=None, model=Contact))
    assert [request.body for request in server.requests] == [b"null"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (respond(200, {}), "answered 200 with a body that does not fit Contact (id: Field required)"),
        (respond(200, [FIRST]), "answered 200 with a body that does not fit Contact (all: Input should be"),
        (respond(200, {"id": "c-666"}), "answered 200 with a body that does not fit Contact (KeyError: 'c-666')"),
        (respond(204), "answered 204 with an empty body that does not fit Contact"),
    ],
    ids=["no field", "a list", "a check of its own fails", "no body"],
)
def test_an_answer_that_does_not_fit_is_an_error_and_was_carried_out(run: Run, answer: Answer, message: str) -> None:
    with Server(answer) as server, pytest.raises(InvalidResponseError) as raised:
        run(server.url, read)
    assert (raised.value.outcome, len(server.requests)) == ("applied", 1)
    assert message in str(raised.value)
    with Server(answer) as server, pytest.raises(OutcomeUnknownError) as unknown:
        run(server.url, lambda client: client.request("POST", "/api/v1/contacts", model=Contact))
    assert (unknown.value.outcome, len(server.requests)) == ("applied", 1)


def test_an_api_model_keeps_what_does_not_fit(run: Run) -> None:
    with Server(respond(200, {"id": 5})) as server:
        data = run(server.url, lambda client: read(client, OpenContact)).data
    assert data.id == 5
    assert "id" in data.validation_error


@pytest.mark.parametrize("model", [dict, "Contact", Contact(id="c-1")])
def test_a_model_that_is_none_is_refused(run: Run, model: Any) -> None:
    with Server() as server, pytest.raises(InvalidArgumentError, match="model must be a model of pydantic"):
        run(server.url, lambda client: read(client, model))
    assert server.requests == []


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([page(1, 2, total=5), page(3, 4, total=5), page(5, total=5)], ["c-1", "c-2", "c-3", "c-4", "c-5"]),
    ],
)
def test_a_list_is_read_to_its_end(run: Run, answers: list[Answer], expected: list[str]) -> None:
    with Server(*answers) as server:
        assert ids(run(server.url, lambda client: taken(contacts(client, query={"limit": 2})))) == expected
    offsets = ["", "&offset=2", "&offset=4"][: len(answers)]
    assert [request.target for request in server.requests] == [f"/api/v1/contacts?limit=2{offset}" for offset in offsets]


def test_a_list_has_path_parameters_a_first_page_and_options(run: Run) -> None:
    with Server(respond(200, {"members": [FIRST], "meta": {"total": 9}})) as server:
        more: dict[str, Any] = {"path_params": {"list_id": "l 1"}, "options": {"account_id": "a-1"}}
        first = run(
            server.url, lambda client: client.list("/api/v1/lists/{list_id}/members", items_field="members", **more).first_page()
        )
    assert first == {"members": [FIRST], "meta": {"total": 9}}
    assert server.requests[0].target == "/api/v1/lists/l%201/members"
    assert server.requests[0].headers["x-account-id"] == "a-1"


@pytest.mark.parametrize(
    "body",
    [
        {"contacts": [FIRST], "next": "cursor"},
        {"contacts": [FIRST], "meta": {"total": "1"}},
        {"contacts": [FIRST], "meta": {"total": 1.5}},
        {"data": [], "meta": {"total": 0}},
        [FIRST],
        None,
    ],
)
def test_a_list_that_pages_in_another_way_is_an_error_instead_of_a_part(run: Run, body: object) -> None:
    answer = respond(200, body) if body is not None else respond(200, raw=b"null")
    with (
        Server(answer) as server,
        pytest.raises(InvalidResponseError, match=r"contacts has no list contacts with meta\.total: check items_field"),
    ):
        run(server.url, lambda client: taken(contacts(client)))
    assert len(server.requests) == 1


def test_an_item_that_does_not_fit_is_named(run: Run) -> None:
    answer = respond(200, {"contacts": [FIRST, {"id": 5}], "meta": {"total": 2}})
    with (
        Server(answer) as server,
        pytest.raises(InvalidResponseError, match=r"contacts\.1 that does not fit Contact \(id: Input should be a valid string"),
    ):
        run(server.url, lambda client: taken(contacts(client)))


@pytest.mark.parametrize(
    ("argument", "path", "options"),
    [
        ("path", "https://evil.example/contacts", {}),
        ("path", "/api/v1/../contacts", {}),
        ("items_field", "/api/v1/contacts", {"items_field": ""}),
        ("items_field", "/api/v1/contacts", {"items_field": None}),
        ("query", "/api/v1/contacts", {"query": [1]}),
        ("list_id", "/api/v1/lists/{list_id}", {}),
        ("model", "/api/v1/contacts", {"model": str}),
    ],
)
def test_a_bad_argument_is_refused_before_anything_is_sent(mode: str, argument: str, path: str, options: dict[str, Any]) -> None:
    with Server() as server:
        client: Any = (CallTransfer if mode == "sync" else AsyncCallTransfer)(base_url=server.url, api_key=KEY)
        with pytest.raises(InvalidArgumentError) as raised:
            client.list(path, **{"items_field": "contacts", **options})
        assert raised.value.argument == argument
        assert server.requests == []
        asyncio.run(client.aclose()) if mode == "async" else client.close()
