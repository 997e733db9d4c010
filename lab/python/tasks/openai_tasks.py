"""The five tasks with openai-python: a tool call of two kinds takes the place of a placed call."""

from openai import APIError, OpenAI


# task: place and branch
def place(client: OpenAI) -> str | None:
    answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    for call in answer.choices[0].message.tool_calls or []:
        call.custom  # wrong
        if call.type == "function":
            call.custom  # wrong
            return call.function.name
        return call.custom.input
    return None


# task: iterate a list
def iterate(client: OpenAI) -> list[str]:
    ids: list[str] = []
    for model in client.models.list():
        model.lenght  # wrong
        ids.append(model.id)
    return ids


# task: read an error's code
def read_code(client: OpenAI) -> str | None:
    try:
        client.models.list()
    except APIError as error:
        error.kode  # wrong
        number: int = error.code  # wrong
        return error.code
    return None


# task: verify a webhook
def verify(client: OpenAI, body: bytes, headers: dict[str, str]) -> str | None:
    client.webhooks.unwrap(body)  # wrong
    event = client.webhooks.unwrap(body, headers, secret="s")
    event.destination_id  # wrong
    if event.type == "response.completed":
        event.data.destination  # wrong
        return event.data.id
    return None


# task: refuse a wrong argument
def arguments(client: OpenAI) -> None:
    client.chat.completions.create(model=1, messages=[])  # wrong
    client.chat.completions.create(Model="m", messages=[])  # wrong
    client.chat.completions.create(messages=[])  # wrong
    client.files.list(limit="50")  # wrong
