// Every operation of the API, as a customer's program: it knows the SDK and a mock server's address, and asserts what it
// shows. Run by `npm run demo`; by hand it needs CALL_TRANSFER_BASE_URL and CALL_TRANSFER_API_KEY of a fresh mock server, as
// `call-transfer-mock --write-env .env` writes them for `node --env-file=.env every-operation.mjs`.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { CallTransfer, isApiError, listRoles, OutcomeUnknownError } from "@call-transfer/sdk";
import { isTransferOffer, verifyWebhook } from "@call-transfer/sdk/webhooks";
import { operations } from "@call-transfer/spec";

const baseUrl = process.env.CALL_TRANSFER_BASE_URL;
const apiKey = process.env.CALL_TRANSFER_API_KEY;
assert(baseUrl && apiKey, "CALL_TRANSFER_BASE_URL and CALL_TRANSFER_API_KEY must be set");

// What goes over the wire, so that the program can show how often something was sent.
let sent = [];
const answered = new Set();
async function watchingFetch(url, init) {
  const response = await fetch(url, init);
  sent.push(response.status);
  const operation = Object.values(operations).find(({ method, path }) => {
    const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`);
    return method === init.method && pattern.test(new URL(url).pathname);
  });
  if (response.ok && operation) answered.add(operation.id);
  return response;
}

/** Shows what the SDK logs by default as a part of the step. */
const logged = (text) => show(`logged: ${text}`);
const logger = { debug() {}, info() {}, warn: logged, error: logged };
const client = new CallTransfer({ baseUrl, apiKey, fetch: watchingFetch, logger });

/** The mock server's control plane: state, time and failures, which the API itself has no operations for. */
async function control(method, path, body) {
  const response = await fetch(`${baseUrl}/_control/v1${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert(response.ok, `${method} ${path} of the control plane answered ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

let number = 0;
let title = "";
function step(text) {
  title = text;
  number += 1;
  console.log(`${String(number).padStart(2)}. ${text}`);
}
const show = (text) => console.log(`      ${text}`);

/** The error that a request must end with. */
async function failure(request) {
  const { ok, error } = await request.result();
  assert(!ok, "the request should have failed");
  return error;
}

/** A customer's server: keeps what is posted to it. */
async function openReceiver() {
  const received = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { received, url: `http://127.0.0.1:${server.address().port}/offers`, close: () => server.close() };
}

async function main(receiver) {
  step("List the accounts that this key can access");
  const { accounts } = await client.accounts.list();
  const [account] = accounts;
  assert(account, "the key should have an account");
  show(`${account.name} (${account.id})`);

  step("List the built-in roles, with the standalone function that bundles alone");
  const { roles } = await listRoles(client);
  assert.deepEqual(roles.map(({ role }) => role).sort(), ["admin", "agent", "member", "owner"]);
  for (const { role, permissions } of roles) show(`${role}: ${permissions.length} permissions`);

  step("Set the stage through the control plane: two destinations, a member, a flow, a number");
  const accountId = account.id;
  const { now } = await control("GET", "/clock");
  const stage = {
    app: randomUUID(),
    phone: randomUUID(),
    user: randomUUID(),
    member: randomUUID(),
    flow: randomUUID(),
    firstSecret: `first-secret-${randomUUID()}`,
    fromNumber: "+15550100901",
    toNumber: "+15550100902",
  };
  const inTenMinutes = new Date(Date.parse(now) + 10 * 60_000).toISOString();
  await control("POST", "/seed", {
    users: [{ id: stage.user, name: "Robin" }],
    members: [
      {
        id: stage.member,
        accountId,
        userId: stage.user,
        role: "agent",
        availability: { status: "away", source: "member", until: inTenMinutes, updatedAt: now },
        hours: { monday: [{ from: "09:00", to: "17:00" }] },
      },
    ],
    destinations: [
      {
        id: stage.app,
        accountId,
        name: "Front desk app",
        kind: "app",
        config: { url: receiver.url },
        signingSecret: stage.firstSecret,
      },
      { id: stage.phone, accountId, name: "Front desk phone", kind: "phone" },
    ],
    flows: [{ id: stage.flow, accountId, published: true }],
    numbers: [{ accountId, number: stage.fromNumber, active: true, verified: true, canInitiateCalls: true }],
  });
  show(`at ${now}`);

  step("Create a destination group");
  const group = await client.destinationGroups.create({
    name: "Front desk",
    members: [{ destinationId: stage.app }, { destinationId: stage.phone, ringTimeoutSecs: 20 }],
  });
  assert.deepEqual(
    group.members.map(({ destinationId }) => destinationId),
    [stage.app, stage.phone],
  );
  show(`${group.name} rings ${group.members.length} destinations at once for ${group.totalTimeoutSecs} s`);

  step("Send an invalid group, and read what is wrong field by field");
  const invalid = await failure(
    client.destinationGroups.create({ name: "", members: [{ destinationId: stage.app, ringTimeoutSecs: 600 }] }),
  );
  assert(isApiError(invalid, "validation_failed"), `expected a validation error, got ${invalid}`);
  for (const { field, code, message } of invalid.errors) show(`${field}: ${code} (${message})`);
  assert.deepEqual(invalid.errors.map(({ field }) => field).sort(), ["members[0].ringTimeoutSecs", "name"]);

  step("Take a name twice, and branch on the code");
  const taken = await failure(
    client.destinationGroups.create({ name: "Front desk", members: [{ destinationId: stage.phone }] }),
  );
  assert(isApiError(taken, "resource_already_exists"), `expected a conflict, got ${taken}`);
  show(`${taken.status} ${taken.code}: ${taken.detail} (request ${taken.requestId})`);

  step("Read a member's availability, before and after its end");
  const before = await client.members.getAvailability(stage.member);
  assert.equal(before.status, "away");
  await control("POST", "/clock/advance", { by: 10 * 60_000 });
  const after = await client.members.getAvailability(stage.member);
  assert.equal(after.status, "available");
  show(`${before.status} until ${before.until}, then ${after.status}`);

  step("Remove the member's available hours");
  const removal = await client.members.deleteHours(stage.member).withResponse();
  assert.equal(removal.response.status, 204);
  show("204: the member is always within hours now");

  step("Place a call; the first answer is a 429, which says how long to wait, so it is sent again");
  const call = { flowId: stage.flow, fromNumber: stage.fromNumber, toNumber: stage.toNumber };
  await control("POST", "/faults", {
    match: { operationId: "createCall" },
    when: { times: 1 },
    do: { rateLimit: { retryAfterSecs: 1 } },
  });
  sent = [];
  const placed = await client.calls.create(call);
  assert.deepEqual(sent, [429, 201]);
  assert.equal(placed.type, "initiated");
  show(`${sent.length} attempts: ${sent.join(", ")}; call ${placed.callId}`);

  step("Place a call whose outcome is unknown: it is not sent again");
  await control("POST", "/faults", { match: { operationId: "createCall" }, when: { times: 1 }, do: { status: 502 } });
  const unknown = await failure(client.calls.create(call));
  assert(unknown instanceof OutcomeUnknownError, `expected an unknown outcome, got ${unknown}`);
  assert.equal(unknown.attempts.length, 1);
  const { candidates, explanation } = await unknown.reconcile();
  show(`${unknown.name} after ${unknown.attempts.length} attempt`);
  show(`reconcile() found ${candidates.length}: ${explanation}`);

  step("Place a call at the account's limit: it is queued");
  await control("PATCH", "/policies", { concurrentCallLimit: 1 });
  const queued = await client.calls.create(call);
  assert.equal(queued.type, "queued");
  assert.equal(queued.position, 1);
  show(`at position ${queued.position}`);
  await control("PATCH", "/policies", { concurrentCallLimit: 10 });

  step("Page through the calls, two at a time");
  await client.calls.create(call);
  sent = [];
  const ids = [];
  for await (const { id, direction } of client.calls.list({ limit: 2, startDate: now })) {
    ids.push(id);
    show(`${direction} call ${id}`);
  }
  const pages = sent.length;
  const { meta } = await client.calls.list({ limit: 1, startDate: now });
  assert.equal(ids.length, meta.total);
  assert.equal(new Set(ids).size, 3);
  assert.equal(pages, 2);
  show(`${ids.length} of ${meta.total} calls on ${pages} pages`);

  step("Receive a signed webhook and verify it");
  // The mock server's clock was moved on above, so the receiver goes by it; a real one leaves `clock` out.
  const { now: signedAt } = await control("GET", "/clock");
  const verifyLast = (secret) =>
    verifyWebhook(receiver.received.at(-1), { secret, clock: { now: () => Date.parse(signedAt) } });
  await control("POST", "/webhooks/trigger", { destinationId: stage.app });
  assert.equal(receiver.received.length, 1);
  const offer = await verifyLast(stage.firstSecret);
  assert(isTransferOffer(offer));
  assert.equal(offer.destinationId, stage.app);
  show(`${offer.type} for ${offer.destinationId}`);

  step("Rotate the signing secret");
  const rotated = await client.destinations.rotateSecret(stage.app);
  assert(rotated.signingSecret && rotated.signingSecret !== stage.firstSecret);
  assert.equal(receiver.received.length, 1, "a rotation sends no webhook");
  show(
    `new secret ends in ${rotated.signingSecretHint}; the previous one signs until ${rotated.previousSecretExpiresAt}`,
  );

  step("Receive a webhook within the overlap: either secret verifies it");
  await control("POST", "/webhooks/trigger", { destinationId: stage.app });
  const signatures = receiver.received.at(-1).headers["service-signature"].match(/v1=/g);
  assert.equal(signatures.length, 2);
  await verifyLast(rotated.signingSecret);
  await verifyLast(stage.firstSecret);
  await assert.rejects(() => verifyLast("not-the-secret"), { name: "WebhookVerificationError" });
  show(`${signatures.length} signatures; the new and the previous secret verify, another does not`);

  step("Be refused for one's role, with an access token");
  const { token } = await control("POST", "/credentials/access-tokens", { userId: stage.user });
  const agent = new CallTransfer({ baseUrl, accessToken: token, accountId });
  const refusal = await failure(agent.destinations.rotateSecret(stage.app));
  assert(isApiError(refusal, "insufficient_permissions"), `expected a refusal, got ${refusal}`);
  show(`${refusal.status} ${refusal.code}: ${refusal.detail}`);

  step("Leave no operation out");
  const missing = Object.keys(operations).filter((id) => !answered.has(id));
  assert.deepEqual(missing, [], "operations that this program did not drive");
  show(`${answered.size} of ${Object.keys(operations).length} operations answered with success`);
}

const receiver = await openReceiver();
try {
  await main(receiver);
  console.log("\nEvery step went as it should.");
} catch (error) {
  console.error(`\nStep ${number} (${title}) failed: ${error.stack}`);
  process.exitCode = 1;
} finally {
  receiver.close();
}
