# Rings a group: a person answers, two decline, an app takes the call, and at
# last no one answers.
from collections.abc import Sequence
from datetime import datetime

from call_transfer.testing import ScriptEntry, demo, open_sandbox

phone, app = demo.destinations.phone, demo.destinations.app
owner = demo.members.owner
names = {phone: "Reception", app: "Front desk app", owner: "Olivia"}

sandbox = open_sandbox()
# The built-in receiver answers the app's offers. It begins with a status that
# declines.
inbox = sandbox.control("GET", "/webhooks/inbox")
sandbox.update("destinations", app, {"config": {"url": inbox["url"]}})
sandbox.control("PATCH", "/webhooks/inbox", {"answer": {"status": 409}})

client = sandbox.client()
group = client.destination_groups.create(
    name="Front desk",
    total_timeout_secs=30,
    members=[
        {"destination_id": phone, "ring_timeout_secs": 20},
        {"destination_id": demo.destinations.available_humans},
        {"destination_id": app},
    ],
)


def ring(what: str, script: Sequence[ScriptEntry] = ()) -> None:
    """Rings the group, lets two minutes pass, and prints who rang, and when."""
    started = sandbox.start_transfer(group_id=group.id, script=script)
    sandbox.advance(120)
    transfer = sandbox.transfer(started["id"])
    answered = "answeredBy" in transfer
    print(f"{what}: {'connected' if answered else transfer['status']}")
    start = datetime.fromisoformat(transfer["startedAt"])
    for one in transfer["rings"]:
        name = names.get(one.get("memberId") or one["destinationId"])
        if name is None:
            continue
        begin, end = (
            (datetime.fromisoformat(at) - start).total_seconds()
            for at in (one["from"], one["until"])
        )
        print(f"  {name:14} {begin:2g} to {end:2g} s  {one['outcome']}")


ring("Olivia answers", [{"memberId": owner, "answerAfterSecs": 7}])
ring(
    "the reception declines, then Olivia",
    [
        {"destinationId": phone, "declineAfterSecs": 4},
        {"memberId": owner, "declineAfterSecs": 9},
    ],
)
answer = {"status": 204, "delaySecs": 5}
sandbox.control("PATCH", "/webhooks/inbox", {"answer": answer})
ring("the app takes it")
sandbox.control("PATCH", "/webhooks/inbox", {"answer": {"status": 409}})
for time in ("first", "second", "third"):
    ring(f"no answer, the {time} time")
availability = client.members.get_availability(owner)
print(f"Olivia is {availability.status}, because of {availability.reason}")
ring("afterwards")
sandbox.close()
