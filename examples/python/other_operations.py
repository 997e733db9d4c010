# Creates, reads and lists contacts, which the client has no methods for.
from call_transfer import CallTransfer, NotFoundError
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from stand_in import platform


class NewContact(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)
    name: str
    phone_number: str


class Contact(NewContact):
    id: str


# For the real platform, leave out `http_client`, and set its `base_url` and
# your `api_key`.
client = CallTransfer(
    base_url="http://localhost",
    api_key="svc_live_example",
    http_client=platform,
)

# The data is an instance of the model.
body = NewContact(name="Barbara", phone_number="+14155550199")
created = client.request("POST", "/api/v1/contacts", body=body, model=Contact)
path, path_params = "/api/v1/contacts/{contact_id}", {"contact_id": "c-4"}
contact = client.request("GET", path, path_params=path_params, model=Contact)
print(f"{created.data.id} is {contact.data.name}")

# Every contact of every page.
for one in client.list(
    "/api/v1/contacts",
    items_field="contacts",
    model=Contact,
    query={"limit": 2},
):
    print(one.name)

# Errors are those of every operation.
try:
    client.request("GET", "/api/v1/contacts/c-9", model=Contact)
except NotFoundError as error:
    print(error.status, error.code, error.request_id)
client.close()
platform.close()
