# Takes the platform's place, so that other_operations.py runs anywhere.
import json

import httpx2

contacts = [
    {"id": f"c-{index + 1}", "name": name, "phoneNumber": f"+1415555012{index}"}
    for index, name in enumerate(["Ada", "Grace", "Edsger"])
]


def answer(request: httpx2.Request) -> httpx2.Response:
    """Lists contacts, adds one, or reads one."""
    query, contact_id = request.url.params, request.url.path.rpartition("/")[2]
    headers = {"x-request-id": "req-1"}
    if request.method == "POST":
        added = {**json.loads(request.content), "id": f"c-{len(contacts) + 1}"}
        contacts.append(added)
        return httpx2.Response(201, json=added, headers=headers)
    if contact_id == "contacts":
        start = int(query.get("offset", 0))
        page = contacts[start : start + int(query.get("limit", 20))]
        body = {"contacts": page, "meta": {"total": len(contacts)}}
        return httpx2.Response(200, json=body, headers=headers)
    for contact in contacts:
        if contact["id"] == contact_id:
            return httpx2.Response(200, json=contact, headers=headers)
    missing = {"code": "resource_not_found", "detail": f"No {contact_id}."}
    return httpx2.Response(404, json=missing, headers=headers)


platform = httpx2.Client(transport=httpx2.MockTransport(answer))
