"""The five tasks with anthropic-sdk-python: a block of several kinds takes the place of a placed call."""

from anthropic import Anthropic, APIStatusError


# task: place and branch
def place(client: Anthropic) -> str | None:
    message = client.messages.create(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}])
    for block in message.content:
        block.text  # wrong
        if block.type == "tool_use":
            block.text  # wrong
            return block.name
        if block.type == "text":
            return block.text
    return None


# task: iterate a list
def iterate(client: Anthropic) -> list[str]:
    ids: list[str] = []
    for model in client.models.list(limit=50):
        model.lenght  # wrong
        ids.append(model.id)
    return ids


# task: read an error's code
def read_code(client: Anthropic) -> str | None:
    try:
        client.models.list()
    except APIStatusError as error:
        error.kode  # wrong
        number: int = error.error_code  # wrong
        return error.error_code
    return None


# task: verify a webhook
def verify(client: Anthropic, body: str, headers: dict[str, str]) -> str | None:
    client.beta.webhooks.unwrap(body)  # wrong
    event = client.beta.webhooks.unwrap(body, headers=headers, key="s")
    event.destination_id  # wrong
    if event.data.type == "session.created":
        event.data.destination  # wrong
        return event.data.id
    return None


# task: refuse a wrong argument
def arguments(client: Anthropic) -> None:
    client.messages.create(model=1, max_tokens=1, messages=[])  # wrong
    client.messages.create(Model="m", max_tokens=1, messages=[])  # wrong
    client.messages.create(max_tokens=1, messages=[])  # wrong
    client.models.list(limit="50")  # wrong
