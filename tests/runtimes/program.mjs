// Uses the SDK as a customer does, on every runtime. Returns the names of the features that passed, and throws at the first
// failure.

const assert = (holds, what) => {
  if (!holds) throw new Error(`Assertion failed: ${what}`);
};

/**
 * Runs against a mock server that stage.ts prepared.
 *
 * @param {typeof import("@call-transfer/sdk")} sdk
 * @param {typeof import("@call-transfer/sdk/webhooks")} webhooks
 * @param input address, API key, ids, servers that lose requests, and a received webhook
 */
export async function exercise(sdk, webhooks, input) {
  const { CallTransfer, ApiError, NotFoundError, AbortError, isApiError, createCall } = sdk;
  const statuses = [];
  const client = new CallTransfer({
    baseUrl: input.baseUrl,
    apiKey: input.apiKey,
    dangerouslyAllowBrowser: true,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      statuses.push(response.status);
      return response;
    },
  });
  const failureOf = async (request) => {
    const { ok, error } = await request.result();
    assert(!ok, "the request fails");
    return error;
  };
  const shown = [];

  // A fault makes the first response a 503.
  const { roles } = await client.roles.list();
  assert(statuses.join() === "503,200", `a 503 is retried (${statuses})`);
  assert(roles.length > 0, "roles are listed");
  shown.push("retry");

  const { accounts } = await client.accounts.list();
  assert(accounts[0]?.id === input.accountId, "the account is listed");
  const group = await client.destinationGroups.create({
    name: "Front desk",
    members: [{ destinationId: input.destinationId, ringTimeoutSecs: 20 }],
  });
  assert(group.members[0]?.destinationId === input.destinationId, "the group is created");
  const { signingSecret } = await client.destinations.rotateSecret(input.appId);
  assert(signingSecret?.length > 0, "the secret is rotated");
  const availability = await client.members.getAvailability(input.memberId);
  assert(availability.status.length > 0, "availability is read");
  const removal = await client.members.deleteHours(input.memberId).withResponse();
  assert(removal.response.status === 204, "hours are removed");
  const placed = [await client.calls.create(input.call), await createCall(client, input.call)];
  assert(
    placed.every(({ type }) => type === "initiated"),
    "calls are placed by the method and by the function",
  );
  const page = await client.calls.list({ limit: 1 });
  assert(page.calls.length === 1, "a page of calls is listed");
  shown.push("operations");

  const ids = new Set();
  for await (const { id } of client.calls.list({ limit: 1 })) ids.add(id);
  assert(ids.size === page.meta.total && ids.size > 1, `every page is read (${ids.size} of ${page.meta.total})`);
  shown.push("paging");

  const error = await failureOf(client.members.getAvailability(input.unknownId));
  assert(isApiError(error) && error instanceof ApiError && error instanceof NotFoundError, "errors have their classes");
  assert(error.status === 404 && error.requestId, "an error names its request");
  shown.push("errors");

  // A fault makes this request hang.
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  const aborted = await failureOf(client.accounts.list({ signal: stop.signal }));
  assert(aborted instanceof AbortError, `an abort ends the request (${aborted})`);
  shown.push("abort");

  for (const { name, url, warm, outcome } of input.losses) {
    const lossy = new CallTransfer({
      baseUrl: url,
      apiKey: input.apiKey,
      dangerouslyAllowBrowser: true,
      maxRetries: 0,
    });
    if (warm) await lossy.roles.list();
    // A connection becomes reusable shortly after its response was read.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const lost = await failureOf(lossy.calls.create(input.call));
    assert(lost.outcome === outcome, `a call lost by ${name} is ${outcome} (${lost.outcome}: ${lost.message})`);
  }
  shown.push("losses");

  const { secret, now, ...received } = input.webhook;
  const event = await webhooks.verifyWebhook(received, { secret, clock: { now: () => now } });
  assert(webhooks.isTransferOffer(event) && event.destinationId === input.appId, "a webhook is verified");
  const forged = { ...received, body: `${received.body} ` };
  const refusal = await webhooks.verifyWebhook(forged, { secret, clock: { now: () => now } }).catch((reason) => reason);
  assert(refusal instanceof webhooks.WebhookVerificationError, "a forged webhook is refused");
  shown.push("webhooks");
  return shown;
}
