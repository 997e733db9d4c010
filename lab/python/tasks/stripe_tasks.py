"""The five tasks with stripe-python: a field that is an ID or an object takes the place of a placed call."""

from stripe import StripeClient, StripeError


# task: place and branch
def place(client: StripeClient) -> str | None:
    intent = client.v1.payment_intents.create({"amount": 1, "currency": "eur"})
    intent.customer.name  # wrong
    if isinstance(intent.customer, str):
        intent.customer.name  # wrong
        return intent.customer
    return intent.customer.name if intent.customer is not None else None


# task: iterate a list
def iterate(client: StripeClient) -> list[str]:
    ids: list[str] = []
    for customer in client.v1.customers.list({"limit": 50}).auto_paging_iter():
        customer.lenght  # wrong
        ids.append(customer.id)
    return ids


# task: read an error's code
def read_code(client: StripeClient) -> str | None:
    try:
        client.v1.customers.list()
    except StripeError as error:
        error.kode  # wrong
        number: int = error.code  # wrong
        return error.code
    return None


# task: verify a webhook
def verify(client: StripeClient, body: bytes, headers: dict[str, str]) -> str | None:
    client.construct_event(body)  # wrong
    event = client.construct_event(body, headers["stripe-signature"], "s")
    event.destination_id  # wrong
    if event.type == "customer.created":
        event.data.object.destination  # wrong
        name: str | None = event.data.object.name
        return name
    return None


# task: refuse a wrong argument
def arguments(client: StripeClient) -> None:
    client.v1.customers.create({"name": 1})  # wrong
    client.v1.customers.create({"Name": "x"})  # wrong
    client.v1.payment_intents.create({"amount": 1})  # wrong
    client.v1.customers.list({"limit": "50"})  # wrong
