// Requests whose sandbox has moved on since: each becomes a test that passes on its own, or there is a reason why it cannot.
import { type Backend, createSandboxes, demo } from "@call-transfer/backend";
import { CallTransfer, type ClientOptions } from "@call-transfer/sdk";

const { flows, numbers, recipients, destinations, groups, members, users, accountId } = demo;
/** A placement that the demo's sandbox accepts. */
export const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };
const hour = 3_600_000;

/** A client of a backend, with the demo's API key unless there are other credentials. */
export function clientOf(
  backend: Pick<Backend, "fetch">,
  credentials: ClientOptions = { apiKey: demo.apiKey },
): CallTransfer {
  return new CallTransfer({ ...credentials, baseUrl: "http://localhost", fetch: backend.fetch, retry: { max: 0 } });
}

/** What happens to a sandbox. Returns the id of the request to export; by default the first. */
type Story = (backend: Backend, client: CallTransfer) => Promise<unknown>;

/** Requests that become tests, by what happened after or before them. */
export const exportable: Readonly<Record<string, Story>> = {
  async "an id that later state contains"(backend, client) {
    await client.calls.create(call);
    const callId = [...backend.state.calls.keys()].at(-1) ?? "";
    backend.transfers.start({ groupId: groups.existing, callId });
    await backend.clock.advance({ by: 5000 });
  },
  async "a policy that was changed back"(backend, client) {
    backend.changePolicies({ concurrentCallLimit: 0 });
    await client.calls.create(call).result();
    backend.changePolicies({ concurrentCallLimit: 10 });
  },
  async "a policy that was changed in place"(backend, client) {
    backend.changePolicies({ dailyCallLimit: 0 });
    await client.calls.create(call).result();
    backend.changePolicies({ dailyCallLimit: 100 });
  },
  async "calls that ended when the clock was advanced"(backend, client) {
    await client.calls.create(call);
    await client.calls.list();
    await backend.clock.advance({ by: hour });
    return 2;
  },
  async "availability that ended"(backend, client) {
    await client.members.getAvailability(members.agent);
    await backend.clock.advance({ by: 24 * hour });
  },
  async "a previous secret that expired"(backend, client) {
    backend.changePolicies({ rotationDuringOverlap: "refuse" });
    await client.destinations.rotateSecret(destinations.app);
    await client.destinations.rotateSecret(destinations.app).result();
    await backend.clock.advance({ by: 25 * hour });
    return 2;
  },
  async "a record that was edited"(backend, client) {
    await client.calls.create(call);
    backend.collections.update("numbers", numbers.working, { active: false });
  },
  async "a refused request whose record was edited"(backend, client) {
    backend.collections.update("flows", flows.published, { published: false });
    await client.calls.create(call).result();
    backend.collections.update("flows", flows.published, { published: true });
  },
  async "a key that was revoked"(backend, client) {
    const { id, key } = backend.keys.issueApiKey();
    await client.withOptions({ apiKey: key }).roles.list();
    backend.collections.update("apiKeys", id, { state: "revoked" });
  },
  async "a token that expired"(backend) {
    const accessToken = await backend.keys.issueToken({ userId: users.agent });
    await clientOf(backend, { accessToken, accountId }).roles.list();
    await backend.clock.advance({ by: 2 * hour });
  },
  async "a queued call"(backend, client) {
    backend.changePolicies({ concurrentCallLimit: 1 });
    await client.calls.create(call);
    await client.calls.create(call);
    await client.calls.create(call);
    await backend.clock.advance({ by: hour });
    return 3;
  },
  async "a full queue"(backend, client) {
    backend.changePolicies({ concurrentCallLimit: 0, callQueueLimit: 1 });
    await client.calls.create(call);
    await client.calls.create(call).result();
    backend.changePolicies({ concurrentCallLimit: 10 });
    return 2;
  },
  async "a rate limit"(backend, client) {
    backend.changePolicies({ rateLimit: { requests: 2, windowSecs: 60 } });
    await client.roles.list();
    await client.roles.list();
    await client.roles.list().result();
    await backend.clock.advance({ by: hour });
    await client.roles.list();
    return 3;
  },
  async "the last request before a rate limit"(backend, client) {
    backend.changePolicies({ rateLimit: { requests: 1, windowSecs: 60 } });
    await client.roles.list();
    await client.roles.list().result();
  },
  async "a fault with a code"(backend, client) {
    backend.faults.add("createCall service_unavailable");
    await client.calls.create(call).result();
  },
  async "a placement whose outcome is unknown"(backend, client) {
    backend.faults.add({ match: { operationId: "createCall" }, do: { status: 502, body: "<p>Bad gateway</p>" } });
    await client.calls.create(call).result();
  },
  async "a fault with a text for its body"(backend, client) {
    backend.faults.add({ match: { operationId: "listCalls" }, do: { status: 502, body: "<p>Bad gateway</p>" } });
    await client.calls.list().result();
  },
  async "a fault with a status and a body"(backend, client) {
    backend.faults.add({ match: { operationId: "listRoles" }, do: { status: 418, body: { made: "of tea" } } });
    await client.roles.list().result();
  },
  async "a fault with a body of its own for a success"(backend, client) {
    const body = { calls: [], meta: { total: 7 } };
    backend.faults.add({ match: { operationId: "listCalls" }, do: { status: 200, body } });
    await client.calls.list().result();
  },
  async "a fault that limits the rate"(backend, client) {
    backend.faults.add({ match: { operationId: "listRoles" }, do: { rateLimit: { retryAfterSecs: 7 } } });
    await client.roles.list().result();
  },
  async "a fault with latency"(backend, client) {
    backend.faults.add({ match: { operationId: "listRoles" }, do: { latency: 10 } });
    const listed = client.roles.list().result();
    await backend.clock.advance({ by: 10 });
    await listed;
  },
  async "a rotated secret"(backend, client) {
    await client.destinations.rotateSecret(destinations.app);
    await client.destinations.rotateSecret(destinations.app);
    await backend.clock.advance({ by: hour });
  },
  async "a deleted record in the middle of a list"(backend, client) {
    const { data } = await client.calls.list().withResponse();
    await client.calls.list();
    const [, second] = data.calls;
    backend.collections.delete("calls", second?.id ?? "");
    return 2;
  },
  async "a deleted key"(backend, client) {
    const { id, key } = backend.keys.issueApiKey();
    await client.withOptions({ apiKey: key }).roles.list();
    backend.collections.delete("apiKeys", id);
  },
  async "the repetition of a request without another effect"(_backend, client) {
    await client.members.deleteHours(members.agent);
    await client.members.deleteHours(members.agent);
    return 2;
  },
  async "a conflict whose record is gone"(backend, client) {
    const group = { name: "Night desk", members: [{ destinationId: destinations.phone }] };
    const { id } = await client.destinationGroups.create(group);
    await client.destinationGroups.create(group).result();
    backend.collections.delete("groups", id);
    return 2;
  },
  async "another role's token"(backend) {
    const group = { name: "Night desk", members: [{ destinationId: destinations.phone }] };
    const accessToken = await backend.keys.issueToken({ userId: users.agent });
    await clientOf(backend, { accessToken, accountId }).destinationGroups.create(group).result();
    backend.collections.update("members", members.agent, { role: "owner" });
  },
  async "an account that the key does not reach"(_backend, client) {
    await client.withOptions({ accountId: demo.foreignAccountId }).roles.list().result();
    await client.withOptions({ accountId: demo.foreignAccountId }).calls.list().result();
    return 2;
  },
  async "a body with unicode"(_backend, client) {
    const name = "Empfang \u2028 “Zürich” 日本 🎧 __proto__ \\ {x} `";
    await client.destinationGroups.create({ name, members: [{ destinationId: destinations.phone }] });
  },
  async "a phone number that is none"(_backend, client) {
    await client.calls.create({ ...call, toNumber: "nobody" }).result();
  },
  async "a query of a wrong type"(backend) {
    await send(backend, "calls?limit=many");
  },
  async "a sandbox with the clock flowing"(backend, client) {
    backend.clock.set({ mode: "flowing", rate: 1000 });
    await client.destinations.rotateSecret(destinations.app);
    backend.clock.set({ mode: "frozen" });
  },
  async "another seed of the random generator"(_backend, client) {
    await client.destinations.rotateSecret(destinations.app);
  },
  async "a ringing transfer"(backend, client) {
    backend.transfers.start({ groupId: groups.existing });
    await client.members.getAvailability(members.agent);
    await backend.clock.advance({ by: hour });
  },
  async "a phone number that was added later"(backend, client) {
    await client.calls.create({ ...call, fromNumber: "+4930555000" }).result();
    backend.collections.create("numbers", { accountId, number: "+4930555000" });
  },
};

/** Requests that do not become tests, and why. */
export const unexportable: Readonly<Record<string, readonly [reason: string, story: Story]>> = {
  "a response that a fault cut off": [
    "fault-1 damaged the response on its way, so the SDK has no result to compare.",
    async (backend, client) => {
      backend.faults.add({ match: { operationId: "listRoles" }, do: "truncate" });
      await client.roles.list().result();
    },
  ],
  "a page in place of a success": [
    "fault-1 made up the response, and the SDK may not accept it.",
    async (backend, client) => {
      backend.faults.add({ match: { operationId: "listRoles" }, do: { status: 200, body: "<p>Log in</p>" } });
      await client.roles.list().result();
    },
  ],
  "a body that is no JSON": [
    "The SDK always sends a body of JSON.",
    (backend) => send(backend, "calls", { method: "POST", body: "{" }, { "Content-Type": "application/json" }),
  ],
  "a body without its type": [
    "The SDK always sends a body of JSON.",
    async (backend) => {
      const body = JSON.stringify(call);
      await send(backend, "calls", { method: "POST", body }, { "Content-Type": "text/plain" });
    },
  ],
  "a parameter that was sent twice": [
    "Sent again to the state that it found, the request returns 200 and not 400 validation_failed.",
    (backend) => send(backend, "calls?limit=1&limit=2"),
  ],
  "a key that is valid for an address": [
    "Sent again to the state that it found, the request returns 403 api_key_ip_restricted and not 200.",
    async (backend) => {
      const { key } = backend.keys.issueApiKey({ allowedIps: ["203.0.113.7"] });
      await send(backend, "roles", {}, { Authorization: `Bearer ${key}` }, { address: "203.0.113.7" });
    },
  ],
  "two tokens in one header": [
    "The SDK always sends a bearer credential.",
    (backend) => send(backend, "roles", {}, { Authorization: "Bearer one two" }),
  ],
};

const send = (
  backend: Backend,
  path: string,
  init: RequestInit = {},
  headers: Readonly<Record<string, string>> = {},
  peer: { readonly address?: string } = {},
) =>
  backend.fetch(
    `http://localhost/api/v1/${path}`,
    { ...init, headers: { Authorization: `Bearer ${demo.apiKey}`, ...headers } },
    peer,
  );

/** A backend in which a story happened, and the request of the story to export. */
export async function told(story: Story): Promise<{ readonly backend: Backend; readonly id: number }> {
  const sandboxes = createSandboxes({ controlPlane: true, prng: 7 });
  const backend = sandboxes.create("told");
  const id = await story(backend, clientOf(backend));
  return { backend, id: typeof id === "number" ? id : 1 };
}
