// A call is transferred to a group. Three members ring at once, and the first to answer gets the call. In a clone:
//   npm run example -- examples/group-ringing.ts
// It needs no server: the backend runs in this process, on a clock of its own.
import { type BackendEvent, createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { createWebhookHandler } from "@call-transfer/sdk/webhooks";

const { phone, availableHumans: people, app } = demo.destinations;
const names: Record<string, string> = { [phone]: "Reception", [people]: "Olivia", [app]: "Front desk app" };

/** The front desk app. It is offered the call by a signed webhook and answers after seven seconds. */
const frontDesk = createWebhookHandler({
  secret: demo.signingSecret,
  clock: { now: () => backend.clock.now() },
  async onEvent({ type }) {
    print("verified", `${type}, the signature is right`);
    await backend.clock.sleep(7000);
  },
});

const backend = createBackend({
  fetch(url, init) {
    const request = new Request(url, init);
    print("webhook", `Service-Signature: ${request.headers.get("Service-Signature")?.slice(0, 32)}…`);
    return frontDesk(request);
  },
});
const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });

function print(what: string, text = "") {
  console.log(`${backend.clock.iso().slice(14, 19)}  ${what.padEnd(10)} ${text}`);
}

function show({ type, id = "", destinationId, outcome }: BackendEvent) {
  const name = names[String(destinationId)];
  if (type === "transfer.ring_ended") print(String(outcome), outcome === "taken" ? `${name} stops ringing.` : name);
  if (type === "transfer.connected") print("connected", `The caller talks to the ${name}.`);
  if (type !== "transfer.started") return;
  const ringing = backend.transfers.get(id)?.rings.filter((ring) => ring.outcome === "ringing") ?? [];
  for (const ring of ringing) print("ringing", names[ring.destinationId]);
}

const group = await client.destinationGroups.create({
  name: "Front desk",
  members: [{ destinationId: phone }, { destinationId: people }, { destinationId: app }],
});
backend.events.follow(show);
const script = [{ destinationId: phone, declineAfterSecs: 4 }];
backend.transfers.start({ groupId: group.id, script });
await backend.advance({ by: 30_000 });
