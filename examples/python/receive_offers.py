# Receives offers, handles a repeated one once, and keeps receiving while its
# secret is rotated.
from call_transfer.testing import demo, open_sandbox
from call_transfer.webhooks import TransferOffer, WebhookEvent, WebhookHandler

sandbox = open_sandbox()
client = sandbox.client()

# Yours are in a file or a secret store. They are read for each webhook, so that
# a rotation needs no restart.
secrets = [demo.signing_secret]
handled: list[WebhookEvent] = []


def on_event(event: WebhookEvent) -> None:
    if isinstance(event, TransferOffer):
        handled.append(event)


# A WSGI application. The platform of this program has a clock of its own. Yours
# has the same time as you.
handler = WebhookHandler(
    secret=lambda: secrets, on_event=on_event, clock=sandbox.now
)
sandbox.forward_webhooks_to(handler)


def offer(when: str) -> str:
    sent = sandbox.trigger_offer()
    signatures = len(sent["signature"]["v1"])
    print(f"{when}: {signatures} signature(s), answered {sent['status']}")
    return sent["id"]


first = offer("at first")
sandbox.redeliver(first)
count = "once" if len(handled) == 1 else len(handled)
print(f"delivered twice, handled {count}")

# 1. Rotate. The new secret is shown this once. From now on, both secrets sign.
rotated = client.destinations.rotate_secret(demo.destinations.app)
offer("after the rotation")
# 2. Within 24 hours, add the new secret.
if rotated.signing_secret:
    secrets = [rotated.signing_secret, demo.signing_secret]
offer("with both secrets")
# 3. After 24 hours, remove the old one.
sandbox.advance(25 * 60 * 60)
secrets = secrets[:1]
offer("a day later")

# An attacker has no secret.
forged = handler.handle(b'{"type":"transfer.offer"}', {})
print(f"forged: answered {forged.status}")
sandbox.close()
